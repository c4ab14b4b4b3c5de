// Rows of single units against all subsets of inputs and all corners of the box, in exact arithmetic.
#include "milp/encoding/hull_rows.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/numbers.h"
#include "milp/encoding/relu.h"
#include "solvers/solvers.h"
#include "support/random_network.h"

namespace plumb::milp {
namespace {

using testing::Random;
using testing::uniform;

constexpr double kNoneIgnored = 1e-12;

// Doubles with full mantissas, so that every rounding has an effect.
double between(Random& random, double lower, double upper) {
  return std::uniform_real_distribution<double>(lower, upper)(random);
}

// y = relu(z), where z is within a tiny error of w . x + b.
struct OneUnit {
  OneUnit(const std::vector<double>& w, const std::vector<double>& lower, const std::vector<double>& upper, double b) {
    Expression argument{{}, b, 1e-12 * std::abs(b)};
    for (std::size_t i = 0; i < w.size(); ++i) {
      inputs.push_back(program.add_variable(lower[i], upper[i]));
      argument.terms.push_back({inputs.back(), w[i]});
    }
    const Range range = range_of(program, argument);
    unit.argument = program.add_variable(range.lower, range.upper);
    const program::Term minus_z{unit.argument, -1};
    unit.row = add_between(program, 0, argument, {&minus_z, 1}, 0);
    const auto [value, indicator] =
        add_relu(program, expression_of(unit.argument), range.lower, range.upper, BigM::kAsymmetric, "y");
    unit.value = value;
    unit.indicator = indicator;
  }

  static OneUnit random(Random& random) {
    std::vector<double> w, lower, upper;
    double least = 0, most = 0;
    for (std::int64_t i = uniform(random, 1, 5); i > 0; --i) {
      w.push_back(between(random, -2, 2));
      lower.push_back(between(random, -1, 1));
      upper.push_back(lower.back() + between(random, 0, 2));
      least += std::min(w.back() * lower.back(), w.back() * upper.back());
      most += std::max(w.back() * lower.back(), w.back() * upper.back());
    }
    return OneUnit(w, lower, upper, -(least + (most - least) * between(random, 0.1, 0.9)));
  }

  mpq_class weight(std::size_t i) const { return mpq_class(program.row(unit.row).coefficients[i]); }
  mpq_class lower(std::size_t i) const { return mpq_class(program.lower(inputs[i])); }
  mpq_class upper(std::size_t i) const { return mpq_class(program.upper(inputs[i])); }
  mpq_class b() const { return -mpq_class(program.lower(unit.row)); }

  // x anywhere in its box, a between 0 and 1, and y at most what the rows of relu.h allow.
  std::vector<double> relaxation_point(Random& random) const {
    std::vector<double> point(static_cast<std::size_t>(program.variables()));
    double z = b().get_d();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      point[i] = between(random, program.lower(inputs[i]), program.upper(inputs[i]));
      z += weight(i).get_d() * point[i];
    }
    const double a = between(random, 0, 1), u = program.upper(unit.argument), l = program.lower(unit.argument);
    point[index(unit.argument)] = z;
    point[index(unit.indicator)] = a;
    point[index(unit.value)] = std::max({0.0, z, between(random, 0.5, 1) * std::min(u * a, z - l * (1 - a))});
    return point;
  }

  static std::size_t index(program::VariableId variable) { return static_cast<std::size_t>(variable.index); }

  program::Program program;
  std::vector<program::VariableId> inputs;
  AffineUnit unit;
};

// By definition: y at the point minus the least right-hand side over all subsets.
mpq_class largest_violation(const OneUnit& one, const std::vector<double>& point) {
  const mpq_class a(point[OneUnit::index(one.unit.indicator)]), y(point[OneUnit::index(one.unit.value)]);
  mpq_class largest;
  for (std::size_t subset = 0; subset < std::size_t{1} << one.inputs.size(); ++subset) {
    mpq_class inside, rest = one.b();
    for (std::size_t i = 0; i < one.inputs.size(); ++i) {
      const mpq_class w = one.weight(i), at_lower = w * one.lower(i), at_upper = w * one.upper(i);
      const mpq_class least = std::min(at_lower, at_upper), most = std::max(at_lower, at_upper);
      if ((subset >> i & 1) != 0)
        inside += w * mpq_class(point[i]) - least * (1 - a);
      else
        rest += most;
    }
    const mpq_class violation = y - inside - rest * a;
    if (subset == 0 || violation > largest) largest = violation;
  }
  return largest;
}

mpq_class activity(const HullRow& row, const std::vector<mpq_class>& point) {
  mpq_class sum;
  for (const auto& [variable, coefficient] : row.terms) {
    sum += mpq_class(coefficient) * point[OneUnit::index(variable)];
  }
  return sum;
}

std::vector<mpq_class> exact(const std::vector<double>& point) { return {point.begin(), point.end()}; }

TEST(HullRows, AViolatedOneIsFoundWheneverSomeSubsetHasOne) {
  Random random(1);
  int found = 0, none = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const OneUnit one = OneUnit::random(random);
    const std::vector<double> point = one.relaxation_point(random);
    const mpq_class violation = largest_violation(one, point);
    const auto row = separated_row(one.program, one.unit, point, kNoneIgnored);
    if (row) {
      ++found;
      // A row may give up a tenth of the violation to be shorter.
      EXPECT_GT(activity(*row, exact(point)) - mpq_class(row->upper), violation * mpq_class(89, 100));
      EXPECT_GT(row->violation, 0);
    } else {
      ++none;
      EXPECT_LT(violation, mpq_class(2e-4 * one.program.upper(one.unit.value)));
    }
  }
  EXPECT_GT(found, 300);
  EXPECT_GT(none, 300);
}

// Checks corners, inner points, and points at which the argument is as large as its row allows, with y and a as they
// are there.
void expect_valid(const OneUnit& one, const HullRow& row, Random& random) {
  const std::size_t n = one.inputs.size();
  for (std::size_t corner = 0; corner < (std::size_t{1} << n) + 4; ++corner) {
    std::vector<mpq_class> point(OneUnit::index(one.unit.indicator) + 1);
    mpq_class z = one.b();
    for (std::size_t i = 0; i < n; ++i) {
      const bool inside = corner >= std::size_t{1} << n;
      const mpq_class share = inside ? mpq_class(uniform(random, 0, 16), 16) : mpq_class(corner >> i & 1);
      point[i] = one.lower(i) + share * (one.upper(i) - one.lower(i));
      z += one.weight(i) * point[i];
    }
    ASSERT_LE(activity(row, point), mpq_class(row.upper)) << "inactive, corner " << corner;  // y = a = 0
    if (z < 0) continue;
    point[OneUnit::index(one.unit.value)] = z;
    point[OneUnit::index(one.unit.indicator)] = 1;
    ASSERT_LE(activity(row, point), mpq_class(row.upper)) << "active, corner " << corner;
  }
}

TEST(HullRows, NeverCutOffAPointOfTheUnit) {
  Random random(2);
  int rows = 0, merged = 0, without_indicator = 0;
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(round);
    const OneUnit one = OneUnit::random(random);
    // Solvers ignore only much smaller coefficients. With 0.3, indicators are dropped from rows.
    const double ignored = round % 2 == 0 ? kNoneIgnored : 0.3;
    std::vector<HullRow> found;
    for (int p = 0; p < 6; ++p) {
      auto row = separated_row(one.program, one.unit, one.relaxation_point(random), ignored);
      if (!row) continue;
      without_indicator += row->terms.back().variable != one.unit.indicator;
      found.push_back(std::move(*row));
    }
    if (found.size() >= 2) {
      const HullRow* both[] = {&found[0], &found[1]};
      const double weights[] = {between(random, 0.1, 1), between(random, 0.1, 1)};
      found.push_back(merged_row(one.program, one.unit, both, weights, ignored));
      ++merged;
    }
    for (const HullRow& row : found) expect_valid(one, row, random);
    rows += static_cast<int>(found.size());
  }
  EXPECT_GT(rows, 1000);
  EXPECT_GT(merged, 100);
  EXPECT_GT(without_indicator, 10);
}

// At a corner where the triangle over the argument's range allows 1/4, the hull allows only the unit's own value.
TEST(HullRows, AllTogetherLeaveTheHullOfTheUnit) {
  OneUnit one({1, 1}, {0, 0}, {1, 1}, -1.5);
  one.program.set_objective({{one.unit.value, -1}});
  one.program.add_row(1, {{one.inputs[0], 1}}, 1);  // x = (1, 0), where x_1 + x_2 - 1.5 is negative
  one.program.add_row(0, {{one.inputs[1], 1}}, 0);
  const auto solver = solvers::make_solver(solvers::kDefaultSolver);
  program::SolveResult result = solver->solve(one.program.relaxation(), {});
  EXPECT_NEAR(result.objective, -0.25, 1e-6);
  for (int round = 0; round < 5; ++round) {
    const auto row = separated_row(one.program, one.unit, result.point, kNoneIgnored);
    if (!row) break;
    one.program.add_row(-kInfinity, row->terms, row->upper);
    result = solver->solve(one.program.relaxation(), {});
  }
  EXPECT_NEAR(result.objective, 0, 1e-6);
}

// This keeps the bound of a relaxation when rows are merged by their duals.
TEST(HullRows, AMergedOneIsTheMean) {
  Random random(3);
  int means = 0;
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    const OneUnit one = OneUnit::random(random);
    const auto p = separated_row(one.program, one.unit, one.relaxation_point(random), kNoneIgnored);
    const auto q = separated_row(one.program, one.unit, one.relaxation_point(random), kNoneIgnored);
    if (!p || !q) continue;
    ++means;
    const HullRow* both[] = {&*p, &*q};
    const double weights[] = {3, 1};
    const HullRow mean = merged_row(one.program, one.unit, both, weights, kNoneIgnored);
    const auto point = exact(one.relaxation_point(random));
    const mpq_class slack_of_mean = mpq_class(mean.upper) - activity(mean, point);
    const mpq_class mean_of_slacks =
        (3 * (mpq_class(p->upper) - activity(*p, point)) + mpq_class(q->upper) - activity(*q, point)) / 4;
    EXPECT_NEAR(slack_of_mean.get_d(), mean_of_slacks.get_d(), 1e-12);
  }
  EXPECT_GT(means, 50);
}

TEST(HullRows, AnInputWithoutABoundHasNone) {
  OneUnit one({1, 1}, {0, 0}, {1, 1}, -1.5);
  std::vector<double> point(static_cast<std::size_t>(one.program.variables()));
  point[0] = 1;
  point[OneUnit::index(one.unit.indicator)] = 0.5;
  point[OneUnit::index(one.unit.value)] = 0.25;
  EXPECT_TRUE(separated_row(one.program, one.unit, point, kNoneIgnored));
  one.program.set_bounds(one.inputs[1], 0, kInfinity);
  EXPECT_FALSE(separated_row(one.program, one.unit, point, kNoneIgnored));
}

}  // namespace
}  // namespace plumb::milp
