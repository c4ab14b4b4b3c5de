// The reduced network against the truth: at points of the region, with the true values of the undecided units put in,
// every row must be within its error of the true value, in exact arithmetic.
#include <gtest/gtest.h>

#include "bounds/bounds.h"
#include "network/evaluator.h"
#include "reduction/reduced_network.h"
#include "support/exact_evaluator.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::exact_point;
using testing::Random;
using testing::uniform;

Box small_box(Random& random, std::int64_t size) {
  Box box;
  std::uniform_real_distribution<double> place(-1, 1);
  const double width = uniform(random, 0, 1) == 0 ? 0.05 : 0.5;
  for (std::int64_t i = 0; i < size; ++i) {
    box.lower.push_back(place(random));
    box.upper.push_back(box.lower.back() + width);
  }
  return box;
}

// A x + B r + c in exact arithmetic.
mpq_class expression(const ReducedNetwork& reduced, std::int64_t row, const std::vector<mpq_class>& point,
                     const std::vector<mpq_class>& values) {
  mpq_class sum(reduced.constant(row));
  for (std::size_t j = 0; j < reduced.used_inputs().size(); ++j) {
    sum += mpq_class(reduced.inputs(row)[j]) * point[static_cast<std::size_t>(reduced.used_inputs()[j])];
  }
  for (std::size_t k = 0; k < values.size(); ++k) sum += mpq_class(reduced.earlier(row)[k]) * values[k];
  return sum;
}

TEST(ReducedNetwork, RowsContainTheTrueValues) {
  Random random(21);
  std::int64_t variables = 0, maxima = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    const Network network = testing::random_network(random, 12);
    const Box box = small_box(random, network.input_size());
    const Region region(box);
    const BoundedNetwork bounded(network);
    RegionBounds bounds(bounded, region);
    compute_bounds(bounds, {});
    const auto out = static_cast<std::size_t>(network.output_size());
    std::vector<double> functionals(2 * out);
    for (double& c : functionals) c = static_cast<double>(uniform(random, -1, 1));
    const ReducedNetwork reduced(bounds, functionals);
    ASSERT_EQ(reduced.rows() - reduced.first_functional(), 2);
    variables += static_cast<std::int64_t>(reduced.variables().size());

    for (int p = 0; p < 3; ++p) {
      std::vector<double> corner(box.size());
      for (std::size_t i = 0; i < box.size(); ++i) corner[i] = uniform(random, 0, 1) == 0 ? box.lower[i] : box.upper[i];
      const auto point = exact_point(corner);
      const auto truth = testing::exact_values(network, point);
      std::vector<mpq_class> values;
      for (const auto& v : reduced.variables())
        values.push_back(truth[v.node][static_cast<std::size_t>(v.element)].low);

      for (std::size_t k = 0; k < reduced.variables().size(); ++k) {
        const auto& v = reduced.variables()[k];
        maxima += !v.is_relu;
        mpq_class largest, error = 0;
        for (std::int64_t row = v.first_row; row < v.last_row; ++row) {
          for (std::size_t later = k; later < values.size(); ++later) ASSERT_EQ(reduced.earlier(row)[later], 0.0);
          const mpq_class value = expression(reduced, row, point, values);
          largest = row == v.first_row ? value : std::max(largest, value);
          error = std::max(error, mpq_class(reduced.error(row)));
        }
        const mpq_class before =
            v.is_relu ? truth[network.node(v.node).arguments[0]][static_cast<std::size_t>(v.element)].low : values[k];
        ASSERT_LE(abs(largest - before), error) << "round " << round << ", variable " << k;
        ASSERT_LT(error.get_d(), 1e-8) << "round " << round << ", variable " << k;
      }
      const auto outputs = testing::exact_outputs(network, point);
      const std::vector<double> evaluated = reduced.evaluate(corner);
      for (std::size_t f = 0; f < 2; ++f) {
        mpq_class exact = 0;
        for (std::size_t i = 0; i < out; ++i) exact += mpq_class(functionals[f * out + i]) * outputs[i].low;
        const std::int64_t row = reduced.first_functional() + static_cast<std::int64_t>(f);
        ASSERT_LE(abs(expression(reduced, row, point, values) - exact), mpq_class(reduced.error(row)))
            << "round " << round;
        ASSERT_NEAR(evaluated[f], exact.get_d(), 1e-9 * (1 + std::abs(exact.get_d()))) << "round " << round;
      }
    }
  }
  EXPECT_GT(variables, testing::rounds());
  EXPECT_GT(maxima, testing::rounds() / 10);
}

TEST(ReducedNetwork, DropsInputsThatNoRowUses) {
  // y = relu(x_0) over x_0 > 0: no variable is left, and x_1 is not used.
  const Network network(
      {{"x", Input{0}, {}, {2}}, {"a", Dense{1, 2, 1, Coefficients({1, 0}), {}}, {0}, {1}}, {"y", Relu{}, {1}, {1}}},
      {{"x", {2}}}, {{"y", {1}, 2}});
  const Region region(Box{{1, -1}, {2, 1}});
  const BoundedNetwork bounded(network);
  RegionBounds bounds(bounded, region);
  compute_bounds(bounds, {});
  const ReducedNetwork reduced(bounds, std::vector<double>{1.0});
  EXPECT_TRUE(reduced.variables().empty());
  EXPECT_EQ(reduced.used_inputs(), std::vector<std::int64_t>{0});
  EXPECT_EQ(reduced.evaluate(std::vector<double>{1.5, 0.5}), std::vector<double>{1.5});
}

}  // namespace
}  // namespace plumb
