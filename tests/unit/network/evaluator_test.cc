#include "network/evaluator.h"

#include <gtest/gtest.h>

#include "support/exact_evaluator.h"
#include "support/random_network.h"

namespace plumb::network {
namespace {

using testing::exact_outputs;
using testing::exact_point;
using testing::Random;
using testing::random_network;
using testing::random_point;

// The largest magnitude of any inner value. Rounding errors are relative to it.
double largest_value(const Network& network, const std::vector<double>& point) {
  double largest = 1;
  for (const auto& node : testing::exact_values(network, exact_point(point))) {
    for (const auto& value : node) largest = std::max(largest, std::abs(value.low.get_d()));
  }
  return largest;
}

template <class Real>
void expect_agrees_with_exact_arithmetic(double tolerance) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const Network network = random_network(random, 12);
    const std::vector<double> point = random_point(random, network.input_size());
    const std::vector<Real> input(point.begin(), point.end());
    std::vector<Real> output(static_cast<std::size_t>(network.output_size()));
    typename Evaluator<Real>::Workspace workspace;
    Evaluator<Real>(shared(network)).evaluate(input, output, workspace);
    const auto truth = exact_outputs(network, exact_point(point));
    const double scale = largest_value(network, point);
    for (std::size_t i = 0; i < output.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(output[i]), truth[i].low.get_d(), tolerance * scale) << "round " << round;
    }
  }
}

TEST(Evaluator, DoubleAgreesWithExactArithmetic) { expect_agrees_with_exact_arithmetic<double>(1e-13); }
TEST(Evaluator, Float32AgreesWithExactArithmetic) { expect_agrees_with_exact_arithmetic<float>(1e-4); }

TEST(Evaluator, ABatchGivesWhatSingleSamplesGive) {
  Random random(4);
  for (int round = 0; round < 50; ++round) {
    const Network network = random_network(random, 12);
    const std::int64_t samples = 150;  // more than one chunk
    const std::vector<double> inputs = random_point(random, samples * network.input_size());
    const std::size_t in = static_cast<std::size_t>(network.input_size()),
                      out = static_cast<std::size_t>(network.output_size());
    std::vector<double> together(static_cast<std::size_t>(samples) * out), alone(out);
    const Evaluator<double> evaluator(shared(network));
    Evaluator<double>::Workspace workspace;
    evaluator.evaluate(inputs, together, workspace);
    for (std::size_t s = 0; s < static_cast<std::size_t>(samples); ++s) {
      evaluator.evaluate(std::span(inputs).subspan(s * in, in), alone, workspace);
      for (std::size_t i = 0; i < out; ++i)
        ASSERT_NEAR(together[s * out + i], alone[i], 1e-12 * (1 + std::abs(alone[i])));
    }
  }
}

// The network is linear near a generic point. A difference quotient over a tiny step, in exact arithmetic, is therefore
// exactly the directional derivative.
TEST(Evaluator, GradientIsTheExactDirectionalDerivative) {
  Random random(5);
  int compared = 0;
  for (int round = 0; round < 200; ++round) {
    const Network network = random_network(random, 12);
    std::vector<double> point = random_point(random, network.input_size());
    for (double& x : point) x += 1e-3 * static_cast<double>(testing::uniform(random, 1, 999'983)) / 1e6;
    const std::vector<double> functional = testing::random_weights(random, network.output_size());
    const std::vector<double> direction = testing::random_weights(random, network.input_size());
    std::vector<double> output(functional.size()), gradient(point.size());
    Evaluator<double>::Workspace workspace;
    Evaluator<double>(shared(network)).evaluate_with_gradient(point, functional, output, gradient, workspace);

    const mpq_class step(0x1p-80);
    std::vector<mpq_class> ahead = exact_point(point), behind = ahead;
    for (std::size_t i = 0; i < ahead.size(); ++i) {
      ahead[i] += step * mpq_class(direction[i]);
      behind[i] -= step * mpq_class(direction[i]);
    }
    const auto here = exact_outputs(network, exact_point(point));
    const auto forward = exact_outputs(network, ahead), backward = exact_outputs(network, behind);
    mpq_class right = 0, left = 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
      right += mpq_class(functional[i]) * (forward[i].low - here[i].low) / step;
      left += mpq_class(functional[i]) * (here[i].low - backward[i].low) / step;
    }
    if (right != left) continue;  // on a kink
    double derivative = 0, scale = 1;
    for (std::size_t i = 0; i < point.size(); ++i) {
      derivative += gradient[i] * direction[i];
      scale = std::max(scale, std::abs(gradient[i]));
    }
    ++compared;
    ASSERT_NEAR(derivative, right.get_d(), 1e-11 * scale * static_cast<double>(point.size())) << "round " << round;
  }
  EXPECT_GT(compared, 150);
}

}  // namespace
}  // namespace plumb::network
