// The reduced network against the truth, in exact arithmetic: at points of the region every row must be within its
// error of the true value.
#include "reduction/reduced_network.h"

#include <gtest/gtest.h>

#include "base/numbers.h"
#include "bounds/bounds.h"
#include "soundness/reduced_case.h"
#include "support/exact_evaluator.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;

TEST(ReducedNetwork, RowsContainTheTrueValues) {
  Random random(21);
  std::int64_t units = 0, maxima = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    const auto c = testing::random_case(random);
    const reduction::ReducedNetwork& reduced = *c->reduced;
    ASSERT_EQ(reduced.functional_count(), 2);
    units += reduced.unit_count();
    for (int p = 0; p < 3; ++p) {
      const testing::ExactPoint point = testing::exact_point(random, c->region);
      const testing::Truth truth = testing::truth_at(c->network, reduced, point);
      const auto nodes = testing::exact_values(c->network, point.input);
      for (std::int64_t k = 0; k < reduced.unit_count(); ++k) {
        const auto& unit = reduced.units()[index(k)];
        const mpq_class allowed = mpq_class(reduced.error(k)) + truth.slack[index(k)];
        ASSERT_LE(mpq_class(unit.lower) - allowed, truth.row[index(k)]) << "round " << round << ", unit " << k;
        ASSERT_GE(mpq_class(unit.upper) + allowed, truth.row[index(k)]) << "round " << round << ", unit " << k;
        ASSERT_LT(reduced.error(k), 1e-8);
        if (!std::holds_alternative<network::Relu>(c->network.node(unit.place.node).op)) {
          ++maxima;
          continue;
        }
        const auto& argument = nodes[c->network.node(unit.place.node).arguments[0]][index(unit.place.element)].low;
        ASSERT_LE(abs(truth.row[index(k)] - argument), allowed) << "round " << round << ", unit " << k;
      }
      for (std::size_t f = 0; f < 2; ++f) {
        const std::int64_t row = reduced.functional_row(static_cast<std::int64_t>(f));
        ASSERT_LE(abs(truth.row[index(row)] - testing::exact_functional(*c, f, point.input)),
                  mpq_class(reduced.error(row)) + truth.slack[index(row)])
            << "round " << round;
      }
    }
  }
  EXPECT_GT(units, testing::rounds());
  EXPECT_GT(maxima, testing::rounds() / 10);
}

TEST(RegionBounds, SayThatAPolytopeIsEmpty) {
  // x <= -0.5 and x >= 0.5, and a unit that sees it: z = x.
  const network::Network network({{"x", network::Input{0}, {}, {1}},
                                  {"h", network::Dense{1, 1, 1, network::Coefficients({1}), {}}, {0}, {1}},
                                  {"r", network::Relu{}, {1}, {1}},
                                  {"a", network::Dense{1, 1, 1, network::Coefficients({1}), {}}, {2}, {1}},
                                  {"y", network::Relu{}, {3}, {1}}},
                                 {{"x", {1}}}, {{"y", {1}, 4}});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(
      bounded, property::Region(property::Polytope{property::Box{{-1}, {1}}, {{{1}, -0.5}, {{-1}, -0.5}}}));
  compute_bounds(bounds, {});
  EXPECT_TRUE(bounds.store.region_is_empty());
  bounds::RegionBounds other(bounded,
                             property::Region(property::Polytope{property::Box{{-1}, {1}}, {{{1}, 0.5}, {{-1}, 0.5}}}));
  compute_bounds(other, {});
  EXPECT_FALSE(other.store.region_is_empty());
}

TEST(ReducedNetwork, DropsInputsThatNoRowUses) {
  // y = relu(x_0) over x_0 > 0: no unit is left, and x_1 is not used.
  const network::Network network({{"x", network::Input{0}, {}, {2}},
                                  {"a", network::Dense{1, 2, 1, network::Coefficients({1, 0}), {}}, {0}, {1}},
                                  {"y", network::Relu{}, {1}, {1}}},
                                 {{"x", {2}}}, {{"y", {1}, 2}});
  const property::Region region(property::Box{{1, -1}, {2, 1}});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(bounded, region);
  compute_bounds(bounds, {});
  const auto reduced = reduction::ReducedNetwork::build(bounds, output_functionals(bounds, std::vector<double>{1.0}),
                                                        testing::kManyBytes);
  EXPECT_TRUE(reduced->units().empty());
  ASSERT_EQ(reduced->space().size(), 1);
  EXPECT_EQ(reduced->space().scaled_input(0), 0);
  EXPECT_EQ(reduced->evaluate(std::vector<double>{0.0}), std::vector<double>{1.5});
}

TEST(ReducedNetwork, IsNotBuiltBeyondItsBudget) {
  const network::Network network({{"x", network::Input{0}, {}, {2}},
                                  {"a", network::Dense{1, 2, 1, network::Coefficients({1, 1}), {}}, {0}, {1}},
                                  {"y", network::Relu{}, {1}, {1}}},
                                 {{"x", {2}}}, {{"y", {1}, 2}});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(bounded, property::Region(property::Box{{-1, -1}, {1, 1}}));
  compute_bounds(bounds, {});
  const bounds::Functionals functionals = output_functionals(bounds, std::vector<double>{1.0});
  EXPECT_TRUE(reduction::ReducedNetwork::build(bounds, functionals, 1000));
  EXPECT_FALSE(reduction::ReducedNetwork::build(bounds, functionals, 10));
}

TEST(ReducedNetwork, RowsOfFunctionalsCountAgainstTheBudget) {
  const network::Network network(
      {{"x", network::Input{0}, {}, {2}}, {"y", network::Dense{1, 2, 1, network::Coefficients({1, 1}), {}}, {0}, {1}}},
      {{"x", {2}}}, {{"y", {1}, 1}});
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(shared(network));
  bounds::RegionBounds bounds(bounded, property::Region(property::Box{{-1, -1}, {1, 1}}));
  compute_bounds(bounds, {});
  const bounds::Functionals functionals = output_functionals(bounds, std::vector<double>(100, 1.0));
  EXPECT_EQ(functionals.count, 100);
  EXPECT_TRUE(reduction::ReducedNetwork::build(bounds, functionals, 100'000));
  EXPECT_FALSE(reduction::ReducedNetwork::build(bounds, functionals, 1000));
}

}  // namespace
}  // namespace plumb
