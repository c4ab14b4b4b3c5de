#include "network/normalised.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "network/evaluator.h"
#include "network/exact_evaluator.h"
#include "support/hostile_network.h"

namespace plumb::network {
namespace {

using testing::Random;
using testing::uniform;

std::vector<double> outputs_of(const Network& network, const std::vector<double>& input) {
  const Evaluator<double> evaluator(shared(network));
  std::vector<double> outputs(static_cast<std::size_t>(network.output_size()));
  typename Evaluator<double>::Workspace workspace;
  evaluator.evaluate(input, outputs, workspace);
  return outputs;
}

// Multiples of 1/8 and powers of two, so that nothing is rounded before the network itself.
TEST(Normalised, IsTheNetworkOfNormalisedInputs) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    const Network network = testing::hostile_network(random);
    std::vector<double> mean, deviation, raw, normal;
    for (std::int64_t i = 0; i < network.input_size(); ++i) {
      mean.push_back(static_cast<double>(uniform(random, -8, 8)) / 8);
      deviation.push_back(std::ldexp(1.0, static_cast<int>(uniform(random, -2, 2))));
      raw.push_back(static_cast<double>(uniform(random, -16, 16)) / 8);
      normal.push_back((raw.back() - mean.back()) / deviation.back());
    }
    const Network result = with_normalisation(network, Coefficients(mean), Coefficients(deviation));
    EXPECT_EQ(result.input_size(), network.input_size());
    ASSERT_EQ(outputs_of(result, raw), outputs_of(network, normal)) << "round " << round;
  }
}

TEST(Normalised, KnowsHowFarRoundedNumbersMayBeOff) {
  Random random(8);
  const Network network = testing::random_chain(random, {2, 3, 2});
  const CoefficientError rounded{0x1p-52, 0};
  const Network result =
      with_normalisation(network, Coefficients({0.1307, 0.1307}, rounded), Coefficients({0.3081, 0.3081}, rounded));
  EXPECT_FALSE(ExactEvaluator(as_stored(shared(result))).is_possible());
  EXPECT_THROW(with_normalisation(network, Coefficients({0.0, 0.0}), Coefficients({1.0, 0.0})), DataError);
}

}  // namespace
}  // namespace plumb::network
