#include "verify/sample_attack.h"

#include <gtest/gtest.h>

namespace plumb::verify {
namespace {

using Numbers = std::vector<double>;

// The outputs are the inputs.
network::Network identity(std::int64_t size) {
  return network::Network({{"x", network::Input{0}, {}, {size}}}, {{"x", {size}, network::ElementType::kFloat32}},
                          {{"y", {size}, 0}});
}

SampleAttack attack(const Numbers& sample, std::int64_t label, const Rational& radius) {
  const network::Network network = identity(static_cast<std::int64_t>(sample.size()));
  const property::Box domain{Numbers(sample.size(), 0), Numbers(sample.size(), 1)};
  const property::Region ball(property::Ball{property::Norm::kLinf, sample, radius, domain});
  return attack_sample(shared(network), std::make_shared<const attack::NetworkEvaluators>(shared(network)), sample,
                       label, ball, property::Norm::kLinf, {}, 0);
}

TEST(SampleAttack, AMisclassifiedSampleIsItsOwnWitness) {
  for (const Numbers& sample : {Numbers{0.25, 0.5, 0}, Numbers{0.5, 0.5, 0}}) {  // a tie counts as misclassified
    const SampleAttack result = attack(sample, 0, Rational(1, 10));
    EXPECT_TRUE(result.misclassified);
    ASSERT_TRUE(result.witness);
    EXPECT_EQ(result.witness->input, sample);
    EXPECT_EQ(result.distance, 0);
    EXPECT_EQ(result.predicted, 1);
    EXPECT_EQ(result.evaluations, 0);
  }
}

TEST(SampleAttack, FindsTheLabelThatCanBeReached) {
  const SampleAttack result = attack({0.5, 0.125, 0.375}, 0, Rational(1, 10));
  EXPECT_FALSE(result.misclassified);
  ASSERT_TRUE(result.witness);
  EXPECT_EQ(result.predicted, 2);
  EXPECT_GE(result.distance, 0.0625);
  EXPECT_LE(result.distance, 0.1);
}

TEST(SampleAttack, FindsNothingInABallThatIsTooSmall) {
  const SampleAttack result = attack({0.5, 0.125, 0.375}, 0, Rational(6, 100));  // a change of 1/16 is needed
  EXPECT_FALSE(result.misclassified);
  EXPECT_FALSE(result.witness);
  EXPECT_GT(result.evaluations, 0);
}

// 1/16 is just enough, and only at the corner where both labels have the same value.
TEST(SampleAttack, FindsATieInTheCorner) {
  const SampleAttack result = attack({0.5, 0.125, 0.375}, 0, Rational(1, 16));
  ASSERT_TRUE(result.witness);
  EXPECT_EQ(result.distance, 0.0625);
  EXPECT_EQ(result.witness->slack, 0);
  EXPECT_EQ(result.predicted, 2);
}

}  // namespace
}  // namespace plumb::verify
