#include "network/exact_evaluator.h"

#include <gtest/gtest.h>

#include "network/evaluator.h"
#include "support/exact_evaluator.h"
#include "support/random_network.h"

namespace plumb::network {
namespace {

using testing::exact_outputs;
using testing::exact_point;
using testing::Random;
using testing::random_network;
using testing::random_point;

// The sign of y - number, where the number is dyadic.
int sign_of_difference(Dyadic y, mpq_class number) {
  // Subtracts as many bits as a double holds, repeatedly.
  while (number != 0) {
    const double part = number.get_d();
    y.add_product(-part, Dyadic(1));
    number -= mpq_class(part);
  }
  return y.sign();
}

TEST(ExactEvaluator, AgreesWithRationalArithmeticOnEveryOperation) {
  Random random(5);
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    const Network network = random_network(random, 12);
    const ExactEvaluator evaluator(shared(network));
    if (!evaluator.is_possible()) continue;
    const std::vector<double> point = random_point(random, network.input_size());
    std::vector<Dyadic> input;
    for (const double x : point) input.emplace_back(x);
    const std::vector<Dyadic> outputs = evaluator.evaluate(input);
    const auto truth = exact_outputs(network, exact_point(point));
    ASSERT_EQ(outputs.size(), truth.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      ASSERT_EQ(sign_of_difference(outputs[i], truth[i].low), 0) << "round " << round << ", output " << i;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
}

TEST(ExactEvaluator, SeesTheLastBitOfSumsOfAnySize) {
  Dyadic sum(0x1p900);
  sum.add_product(1, Dyadic(0x1p-1074));
  sum.add_product(-0x1p900, Dyadic(1));
  EXPECT_EQ(sum.sign(), 1);
  sum.add_product(-0x1p-537, Dyadic(0x1p-537));
  EXPECT_EQ(sum.sign(), 0);
  EXPECT_TRUE(less(Dyadic(-0x1p-1074), Dyadic(0)));
  EXPECT_FALSE(less(Dyadic(3), Dyadic(3)));
}

Network with_direct_form(Activation activation) {
  // The lowered operation is wrong on purpose: evaluation must use the direct form.
  Node y{"y", Relu{}, {0}, {2}};
  y.direct = DirectForm{0, std::move(activation)};
  return Network({{"x", Input{0}, {}, {2}}, y}, {{"x", {2}, ElementType::kFloat32}}, {{"y", {2}, 1}});
}

TEST(ExactEvaluator, TakesDirectForms) {
  const Network leaky = with_direct_form(LeakyForm{Coefficients({1e20, -0.5})});
  std::vector<Dyadic> y = ExactEvaluator(shared(leaky)).evaluate(std::vector{Dyadic(-0.75), Dyadic(-3)});
  EXPECT_EQ(sign_of_difference(y[0], mpq_class(-0.75) * mpq_class(1e20)), 0);
  EXPECT_EQ(sign_of_difference(y[1], mpq_class(1.5)), 0);
  const Network limited = with_direct_form(LowerLimitForm{Coefficients({0x1p-60})});
  y = ExactEvaluator(shared(limited)).evaluate(std::vector{Dyadic(0x1p-61), Dyadic(1 + 0x1p-52)});
  EXPECT_EQ(sign_of_difference(y[0], mpq_class(0x1p-60)), 0);
  EXPECT_EQ(sign_of_difference(y[1], mpq_class(1 + 0x1p-52)), 0);
}

TEST(Evaluator, TakesDirectFormsForValuesAndGradients) {
  const Network leaky = with_direct_form(LeakyForm{Coefficients({1e20, -0.5})});
  const Evaluator<float> evaluator(shared(leaky));
  Evaluator<float>::Workspace workspace;
  std::vector<float> outputs(4), gradients(4);
  const std::vector<float> inputs{0.5F, 2.0F, -1.0F, -4.0F}, functionals{1, 1, 1, 1};
  evaluator.evaluate_with_gradient(inputs, functionals, outputs, gradients, workspace);
  EXPECT_EQ(outputs, (std::vector<float>{0.5F, 2.0F, -1e20F, 2.0F}));
  EXPECT_EQ(gradients, (std::vector<float>{1, 1, 1e20F, -0.5F}));
}

TEST(ExactEvaluator, IsNotPossibleWithCoefficientsKnownUpToAnError) {
  const Network network(
      {{"x", Input{0}, {}, {1}}, {"y", Dense{1, 1, 1, Coefficients({2.0}, {1e-16, 0}), {}}, {0}, {1}}},
      {{"x", {1}, ElementType::kFloat32}}, {{"y", {1}, 1}});
  EXPECT_FALSE(ExactEvaluator(shared(network)).is_possible());
}

}  // namespace
}  // namespace plumb::network
