// Ranges of units at the unsafe points of a subproblem, against exact arithmetic and a search over a grid of factors.
#include "lanes/unit_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "bounds/bounds.h"
#include "lanes/lane_network.h"
#include "soundness/reduced_case.h"
#include "support/rounds.h"

namespace plumb::lanes {
namespace {

using testing::Random;
using testing::uniform;

// A random subproblem: choices and decisions in lane 0, and points at which the decisions hold.
struct Point {
  testing::Truth truth;
  mpq_class functional;
};

std::vector<Point> points_of(const testing::ReducedCase& c, std::int64_t functional, Random& random) {
  std::vector<Point> points;
  for (int i = 0; i < 15; ++i) {
    testing::ExactPoint point = testing::exact_point(random, c.region);  // a corner
    if (i % 3 != 0) {
      const std::vector<double> inner = random_point(c.region, random);
      point = {testing::exact_point(inner), testing::exact_point(inner)};
    }
    points.push_back({testing::truth_at(c.network, *c.reduced, point),
                      testing::exact_functional(c, static_cast<std::size_t>(functional), point.input)});
  }
  return points;
}

// By how much the argument of a unit may differ from its row.
mpq_class slack_of(const testing::ReducedCase& c, const Point& point, std::int64_t unit) {
  return point.truth.slack[index(unit)] + mpq_class(c.reduced->error(unit));
}

void choose_at_random(Lanes<double>& lanes, Random& random) {
  std::uniform_real_distribution<double> fraction(0, 1);
  for (std::int64_t k = 0; k < lanes.slope.count(); ++k) {
    lanes.slope.at(k, 0) = fraction(random);
    lanes.multiplier.at(k, 0) = uniform(random, 0, 1) == 0 ? 0.0 : 0.2 * fraction(random);
    lanes.split.at(k, 0) = uniform(random, 0, 3) == 0 ? (uniform(random, 0, 1) == 0 ? 1.0 : -1.0) : 0.0;
  }
}

bool satisfies_decisions(const Lanes<double>& lanes, const testing::ReducedCase& c, const Point& point) {
  for (std::int64_t k = 0; k < lanes.split.count(); ++k) {
    const mpq_class side = mpq_class(lanes.split.at(k, 0)) * point.truth.row[index(k)];
    if (lanes.split.at(k, 0) != 0 && side <= slack_of(c, point, k)) return false;
  }
  return true;
}

std::unique_ptr<testing::ReducedCase> case_over_a_cube(Random& random) {
  for (;;) {
    auto c = testing::random_case(random);
    if (std::holds_alternative<property::Box>(c->region) && c->reduced->space().is_cube() &&
        c->reduced->unit_count() > 0)
      return c;
  }
}

// Every unsafe point of the subproblem has its arguments inside the ranges, in which units are decided one round after
// the other, as in a search.
TEST(UnitRanges, ContainTheArgumentsOfAllUnsafePointsOfASubproblem) {
  Random random(5);
  int checked = 0, narrower = 0;
  for (int round = 0; round < testing::rounds() / 2; ++round) {
    const auto c = case_over_a_cube(random);
    const LaneNetwork<double> system(*c->reduced, {});
    const UnitRows rows(system, *c->reduced);
    const auto functional = uniform(random, 0, c->reduced->rows() - system.units() - 1);
    Lanes<double> lanes = system.lanes();
    system.ask_row(lanes, 0, system.units() + functional, 1);
    for (std::int64_t lane = 1; lane < system.width(); ++lane) system.ask_row(lanes, lane, 0, 1);
    choose_at_random(lanes, random);
    std::vector<Point> points = points_of(*c, functional, random);
    std::erase_if(points, [&](const Point& point) { return !satisfies_decisions(lanes, *c, point); });
    if (points.empty()) continue;
    // The functional minus its least value at one of these points, so that few of them are unsafe.
    const auto least =
        std::ranges::min_element(points, [](const Point& a, const Point& b) { return a.functional < b.functional; });
    const double constant = lanes.constant[0];
    lanes.constant[0] -= least->functional.get_d() + 1e-9;
    const mpq_class shift = mpq_class(constant) - mpq_class(lanes.constant[0]);
    std::erase_if(points, [&](const Point& point) { return point.functional > shift; });
    UnitRanges ranges = rows.widest();
    for (int again = 0; again < 3; ++again) {
      system.backward(lanes);
      TargetInequality inequality;
      inequality.take(lanes, 0);
      const auto is_open = [&](std::int64_t k) { return lanes.split.at(k, 0) == 0; };
      const Narrowing result = narrow(rows, inequality, is_open, ranges);
      narrower += result == Narrowing::kNarrower;
      ASSERT_TRUE(result != Narrowing::kEmpty || points.empty()) << "round " << round;
      for (const Point& point : points) {
        for (std::int64_t k = 0; k < system.units(); ++k) {
          const mpq_class& z = point.truth.row[index(k)];
          const mpq_class slack = slack_of(*c, point, k);
          ASSERT_LE(mpq_class(static_cast<double>(ranges.lower[index(k)])), z + slack)
              << "round " << round << ", unit " << k;
          ASSERT_GE(mpq_class(static_cast<double>(ranges.upper[index(k)])), z - slack)
              << "round " << round << ", unit " << k;
          ++checked;
        }
      }
      for (std::int64_t k = 0; k < system.units(); ++k) {
        const UpperLine line = upper_line(ranges.lower[index(k)], ranges.upper[index(k)]);
        lanes.upper_slope.at(k, 0) = line.slope;
        lanes.upper_intercept.at(k, 0) = line.intercept;
        if (!is_open(k)) continue;
        if (ranges.lower[index(k)] > 0) lanes.split.at(k, 0) = 1;
        if (ranges.upper[index(k)] < 0) lanes.split.at(k, 0) = -1;
      }
    }
  }
  if (!testing::counts_mean_something()) return;
  EXPECT_GT(checked, testing::rounds());
  EXPECT_GT(narrower, testing::rounds() / 20);
}

// The ranges of a network with many inputs, over which factors have many breakpoints.
class WideNetwork : public ::testing::Test {
 protected:
  void make(Random& random) {
    network_ = std::make_shared<network::Network>(testing::random_chain(random, {40, 8, 8, 2}));
    bounded_ = std::make_shared<const bounds::BoundedNetwork>(network_);
    const std::vector<double> lower(40, -0.5), upper(40, 0.5);
    bounds_ = std::make_unique<bounds::RegionBounds>(bounded_, property::Region(property::Box{lower, upper}));
    compute_bounds(*bounds_, {});
    auto reduced = reduction::ReducedNetwork::build(*bounds_, output_functionals(*bounds_, std::vector<double>{1, -1}),
                                                    testing::kManyBytes);
    reduced_ = std::make_unique<reduction::ReducedNetwork>(std::move(*reduced));
    system_ = std::make_unique<LaneNetwork<double>>(*reduced_, std::span<const reduction::Cut>());
  }

  // The lower bound of the row wherever the inequality holds, for one factor.
  static double bound_with(const AffineRow& row, const AffineRow& inequality, double factor) {
    double sum = row.least + factor * inequality.least;
    for (std::size_t i = 0; i < row.coefficients.size(); ++i) {
      const double a = row.coefficients[i], g = inequality.coefficients[i];
      if (a * g < 0) sum += 2 * std::min(std::abs(a), factor * std::abs(g));
    }
    return sum;
  }

  std::shared_ptr<network::Network> network_;
  std::shared_ptr<const bounds::BoundedNetwork> bounded_;
  std::unique_ptr<bounds::RegionBounds> bounds_;
  std::unique_ptr<reduction::ReducedNetwork> reduced_;
  std::unique_ptr<LaneNetwork<double>> system_;
};

TEST_F(WideNetwork, GetsRangesAlmostAsNarrowAsTheBestFactorsAllow) {
  Random random(6);
  int compared = 0;
  for (int round = 0; round < 40; ++round) {
    make(random);
    const UnitRows rows(*system_, *reduced_);
    Lanes<double> lanes = system_->lanes();
    for (std::int64_t lane = 0; lane < system_->width(); ++lane) system_->ask_row(lanes, lane, system_->units(), 1);
    system_->backward(lanes);
    // The functional is shifted, so that its bound is below zero by a part of what can be reached.
    const double reach = 2 * (lanes.constant[0] - lanes.bound[0]) + 1;
    lanes.constant[0] -= lanes.bound[0] + reach * 0.05 * static_cast<double>(uniform(random, 1, 5));
    system_->backward(lanes);
    TargetInequality inequality;
    inequality.take(lanes, 0);
    ASSERT_LT(inequality.row().least, 0);
    const UnitRanges before = rows.widest();
    UnitRanges ranges = before;
    std::vector<NarrowedEnd> changes;
    narrow(
        rows, inequality, [](std::int64_t) { return true; }, ranges, &changes);
    for (std::int64_t k = 0; k < rows.units(); ++k) {
      for (const std::size_t side : {0, 1}) {
        const double present = side == 0 ? before.lower[index(k)] : -before.upper[index(k)];
        const double found = side == 0 ? ranges.lower[index(k)] : -ranges.upper[index(k)];
        double best = present;
        for (int step = -400; step < 400; ++step)
          best = std::max(best, bound_with(rows.row(k, side), inequality.row(), std::exp(0.02 * step)));
        const double width = before.upper[index(k)] - before.lower[index(k)];
        // A bound of zero decides the unit, and nothing more is sought. Gains of a hundredth are not worth a change.
        const double aim = std::min(best, 0.0);
        EXPECT_GE(found, aim - 0.05 * (aim - present) - 0.011 * width) << "round " << round << ", unit " << k;
        compared += best > present + 0.02 * width;
      }
    }
    for (const NarrowedEnd& end : changes) {
      const double sign = end.upper ? -1 : 1;
      const float now = end.upper ? ranges.upper[index(end.unit)] : ranges.lower[index(end.unit)];
      EXPECT_EQ(end.bound, now) << "the changes are what was changed";
      EXPECT_LE(sign * end.bound, bound_with(rows.row(end.unit, end.upper ? 1 : 0), inequality.row(), end.factor))
          << "the factor proves the end";
    }
  }
  EXPECT_GT(compared, 100);
}

TEST(UpperLine, LiesAboveTheUnitInExactArithmetic) {
  Random random(7);
  const auto any_size = [&] {
    return static_cast<double>(std::ldexp(1 + std::uniform_real_distribution<float>(0, 1)(random),
                                          static_cast<int>(uniform(random, -149, 60))));
  };
  for (int round = 0; round < 100 * testing::rounds(); ++round) {
    const double lower = uniform(random, 0, 5) == 0 ? any_size() : -any_size();
    const double upper = lower >= 0 ? 2 * lower : (uniform(random, 0, 5) == 0 ? lower / 2 : any_size());
    const UpperLine line = upper_line(lower, upper);
    EXPECT_GE(line.slope, 0);
    EXPECT_LE(line.slope, 1);
    for (const double z : {lower, upper, std::clamp(0.0, lower, upper)}) {
      ASSERT_GE(mpq_class(line.slope) * mpq_class(z) + mpq_class(line.intercept), mpq_class(std::max(z, 0.0)))
          << "[" << lower << ", " << upper << "] at " << z;
    }
  }
}

}  // namespace
}  // namespace plumb::lanes
