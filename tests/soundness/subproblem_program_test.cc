// Subproblems in which every unit is decided, as linear programs. One that contains a point is never proven empty and
// never bounded above its value at that point. One without a point is proven empty.
#include "search/leaf/subproblem_program.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/numbers.h"
#include "base/rounding.h"
#include "bounds/bounds.h"
#include "solvers/solvers.h"
#include "support/exact_evaluator.h"
#include "support/random_network.h"
#include "support/rounds.h"

namespace plumb {
namespace {

using testing::Random;
using testing::uniform;

property::SimpleRegion random_region(Random& random, std::int64_t size) {
  const property::Box domain{std::vector<double>(index(size), -0.5), std::vector<double>(index(size), 1.0)};
  std::vector<double> centre(index(size));
  for (double& c : centre) c = std::uniform_real_distribution<double>(-0.5, 1.0)(random);
  if (uniform(random, 0, 3) == 0) centre[0] = 1 + 0x1p-4;  // outside the domain, by less than the radius
  if (uniform(random, 0, 2) > 0)
    return property::Ball{property::Norm::kL1, centre, Rational(uniform(random, 1, 8), 8), domain};
  return property::Ball{property::Norm::kLinf, centre, Rational(uniform(random, 1, 8), 16), domain};
}

struct Case {
  Case(Random& random, std::vector<std::int64_t> widths)
      : network(testing::random_chain(random, widths)),
        bounded(std::make_shared<const bounds::BoundedNetwork>(shared(network))),
        region(random_region(random, network.input_size())),
        bounds(bounded, property::Region(region)) {
    compute_bounds(bounds, {});
    const std::vector<double> identity{1, 0, 0, 1};
    reduced = reduction::ReducedNetwork::build(bounds, output_functionals(bounds, identity), 1 << 30);
  }

  network::Network network;
  std::shared_ptr<const bounds::BoundedNetwork> bounded;
  property::SimpleRegion region;
  bounds::RegionBounds bounds;
  std::optional<reduction::ReducedNetwork> reduced;
};

// The splits that hold at a point; empty if a unit is too close to its kink.
std::vector<reduction::Split> splits_at(const Case& c, std::span<const double> point) {
  const reduction::ReducedNetwork& reduced = *c.reduced;
  std::vector<double> value;
  std::vector<reduction::Split> splits;
  for (std::int64_t k = 0; k < reduced.unit_count(); ++k) {
    double z = reduced.constant(k);
    const auto inputs = reduced.on_inputs().columns(k), units = reduced.on_units().columns(k);
    for (std::size_t e = 0; e < inputs.size(); ++e) {
      const double x = point[index(reduced.space().scaled_input(inputs[e]))];
      const double u = (x - reduced.space().centre(inputs[e])) / reduced.space().radius(inputs[e]);
      z += reduced.on_inputs().values(k)[e] * u;
    }
    for (std::size_t e = 0; e < units.size(); ++e) z += reduced.on_units().values(k)[e] * value[index(units[e])];
    if (std::abs(z) < 1e-9) return {};
    value.push_back(std::max(z, 0.0));
    splits.push_back(z > 0 ? reduction::Split::kActive : reduction::Split::kInactive);
  }
  return splits;
}

// Rounded up.
double value_at(const Case& c, const std::vector<double>& point) {
  return round_up(testing::exact_outputs(c.network, testing::exact_point(point))[0].low.get_d());
}

TEST(SubproblemProgram, ProvesWhatIsEmptyAndNothingElse) {
  Random random(71);
  const auto solver = solvers::make_solver(solvers::kDefaultSolver);
  const Budget budget{Limits()};
  int empty = 0, proven = 0, inhabited = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    SCOPED_TRACE(round);
    const Case c(random, {uniform(random, 2, 12), 8, 8, 2});
    if (!c.reduced || c.reduced->unit_count() == 0) continue;
    search::SubproblemProgram program(*solver, *c.reduced, c.reduced->functional_row(0), {});
    const std::vector<double> point = random_point(c.region, random);
    std::vector<reduction::Split> splits = splits_at(c, point);
    if (splits.empty() || !contains(property::Region(c.region), point)) continue;

    const search::SubproblemSolution here = program.solve(splits, budget);
    EXPECT_LE(here.bound, value_at(c, point));
    // The lowest point is known only within the solver's tolerances.
    if (here.u) {
      EXPECT_LE(here.bound, value_at(c, c.reduced->space().network_input(*here.u)) + 1e-6);
    }
    ++inhabited;
    for (int other = 0; other < 10; ++other) {
      reduction::Split& split = splits[index(uniform(random, 0, std::ssize(splits) - 1))];
      split = split == reduction::Split::kActive ? reduction::Split::kInactive : reduction::Split::kActive;
      const search::SubproblemSolution there = program.solve(splits, budget);
      if (there.value < kInfinity) continue;
      ++empty;
      proven += there.bound == kInfinity ? 1 : 0;
    }
  }
  EXPECT_GE(proven, 0.99 * empty);
  EXPECT_GT(inhabited, testing::often(100));
  EXPECT_GT(empty, testing::often(300));
}

// Tried with one functional alone, and with the other output as a second inequality.
TEST(SubproblemProgram, DeepestPointsLieWithinLimitsThatDoNotStay) {
  Random random(72);
  const auto solver = solvers::make_solver(solvers::kDefaultSolver);
  const Budget budget{Limits()};
  int found = 0, moved = 0;
  for (int round = 0; round < testing::rounds(); ++round) {
    SCOPED_TRACE(round);
    const Case c(random, {uniform(random, 2, 12), 8, 8, 2});
    if (!c.reduced || c.reduced->unit_count() == 0 || !c.reduced->space().is_cube()) continue;
    const bool alone = round % 2 == 0;
    std::vector<std::int64_t> others;
    if (!alone) others.push_back(c.reduced->functional_row(1));
    search::SubproblemProgram program(*solver, *c.reduced, c.reduced->functional_row(0), others);
    const std::vector<reduction::Split> open(index(c.reduced->unit_count()), reduction::Split::kOpen);
    const search::SubproblemSolution before = program.solve(open, budget);

    const std::size_t size = index(c.reduced->space().size());
    const property::Box limits{std::vector(size, -0.75), std::vector(size, 0.5)};
    const auto deepest = program.deepest_point(budget, &limits).u;
    if (deepest) {
      ++found;
      for (const double u : *deepest) EXPECT_TRUE(-0.75 - 1e-6 <= u && u <= 0.5 + 1e-6) << u;
      moved += before.u && *before.u != *deepest ? 1 : 0;
    }
    const search::SubproblemSolution after = program.solve(open, budget);
    EXPECT_EQ(std::isfinite(before.value), std::isfinite(after.value));
    if (std::isfinite(before.value)) {
      EXPECT_NEAR(before.value, after.value, 1e-6 * (1 + std::abs(before.value)));
    }
  }
  EXPECT_GT(found, testing::often(20));
  EXPECT_GT(moved, testing::often(20));
}

}  // namespace
}  // namespace plumb
