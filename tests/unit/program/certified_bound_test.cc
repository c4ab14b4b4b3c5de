#include "program/certified_bound.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "conformance/programs.h"
#include "support/exact_program.h"

namespace plumb::program {
namespace {

using testing::exact_minimum;
using testing::random_program;

// The same sum as in certified_bound(), rounded to nearest: a bound without care for rounding.
double naive_bound(const Program& program, std::span<const double> y) {
  std::vector<double> reduced(program.costs().begin(), program.costs().end());
  double bound = program.offset();
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const double multiplier = y[static_cast<std::size_t>(i)];
    bound += multiplier * (multiplier > 0 ? program.lower(RowId{i}) : program.upper(RowId{i}));
    const Program::Row row = program.row(RowId{i});
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      reduced[static_cast<std::size_t>(row.columns[k])] -= multiplier * row.coefficients[k];
    }
  }
  for (std::size_t j = 0; j < reduced.size(); ++j) {
    bound += std::min(reduced[j] * program.lowers()[j], reduced[j] * program.uppers()[j]);
  }
  return bound;
}

// A multiplier of any magnitude and sign, sometimes infinite or NaN.
double bad_multiplier(std::mt19937_64& random) {
  const double sizes[] = {0, 1e-300, 1e-17, 1e-5, 0.3, 1, 7, 1e5, 1e17, 1e300};
  const double special[] = {kInfinity, -kInfinity, std::nan("")};
  if (random() % 20 == 0) return special[random() % 3];
  const double sign = random() % 2 ? 1 : -1;
  return sign * sizes[random() % std::size(sizes)] * std::uniform_real_distribution<double>(0.5, 1)(random);
}

TEST(CertifiedBound, IsNeverAboveTheMinimumWhateverTheMultipliers) {
  std::mt19937_64 random(1);
  int feasible = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const bool squares = trial % 3 == 0;
    Program program = random_program({.continuous = 3, .binaries = 0, .rows = 4, .squares = squares}, random);
    const auto exact = exact_minimum(program);
    if (exact) ++feasible;
    for (int k = 0; k < 40; ++k) {
      std::vector<double> y;
      for (std::int32_t i = 0; i < program.rows(); ++i) {
        y.push_back(k % 2 ? bad_multiplier(random) : std::normal_distribution<double>()(random));
      }
      const double bound = certified_bound(program, y);
      EXPECT_FALSE(std::isnan(bound));
      if (exact) {
        EXPECT_TRUE(bound == -kInfinity || mpq_class(bound) <= *exact) << trial;
        EXPECT_FALSE(proves_infeasible(program, y));
      }
    }
  }
  EXPECT_GT(feasible, 50);
}

TEST(CertifiedBound, HoldsWhereTheSameSumRoundedToNearestDoesNot) {
  // All variables are fixed, so that the bound is the objective there: a plain sum of products, which rounds.
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> number(-1, 1);
  int careless_is_wrong = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Program program;
    std::vector<Term> terms, costs;
    mpq_class exact = 0;
    for (int j = 0; j < 6; ++j) {
      const double value = number(random);
      const VariableId x = program.add_variable(value, value);
      terms.push_back({x, number(random)});
      costs.push_back({x, number(random)});
      exact += mpq_class(costs.back().coefficient) * mpq_class(value);
    }
    program.add_row(-10, terms, 10);
    program.set_objective(costs);
    const std::vector<double> none = {0};
    const double certified = certified_bound(program, none), careless = naive_bound(program, none);
    EXPECT_LE(mpq_class(certified), exact);
    EXPECT_GE(certified, exact.get_d() - 1e-14);
    if (mpq_class(careless) > exact) ++careless_is_wrong;
  }
  EXPECT_GT(careless_is_wrong, 50);
}

// The bound that the multipliers prove, without rounding.
mpq_class exact_lagrangian(const Program& program, std::span<const double> y) {
  std::vector<mpq_class> reduced(program.costs().begin(), program.costs().end());
  mpq_class bound(program.offset());
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const mpq_class multiplier(y[static_cast<std::size_t>(i)]);
    bound += multiplier * mpq_class(multiplier > 0 ? program.lower(RowId{i}) : program.upper(RowId{i}));
    const Program::Row row = program.row(RowId{i});
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      reduced[static_cast<std::size_t>(row.columns[k])] -= multiplier * mpq_class(row.coefficients[k]);
    }
  }
  for (std::size_t j = 0; j < reduced.size(); ++j) {
    bound += reduced[j] * mpq_class(reduced[j] > 0 ? program.lowers()[j] : program.uppers()[j]);
  }
  return bound;
}

// The reduced costs are sums of many products. The boxes are so wide that the rounding of these sums dominates.
TEST(CertifiedBound, IsNeverAboveWhatItsMultipliersProveExactly) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  int careless_is_wrong = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Program program;
    std::vector<Term> costs;
    for (int j = 0; j < 5; ++j) costs.push_back({program.add_variable(-1e3, 1e3), number(random)});
    std::vector<double> y;
    for (int i = 0; i < 40; ++i) {
      std::vector<Term> terms;
      for (const Term& cost : costs) terms.push_back({cost.variable, number(random)});
      program.add_row(-1, terms, 1);
      y.push_back(number(random));
    }
    program.set_objective(costs);
    const mpq_class exact = exact_lagrangian(program, y);
    const double certified = certified_bound(program, y);
    EXPECT_LE(mpq_class(certified), exact);
    EXPECT_GE(certified, exact.get_d() * (1 + 1e-12));
    if (mpq_class(naive_bound(program, y)) > exact) ++careless_is_wrong;
  }
  EXPECT_GT(careless_is_wrong, 50);
}

TEST(CertifiedBound, IsExactForUnboundedVariablesWhereNothingRounds) {
  Program program;
  const VariableId x = program.add_variable(0, kInfinity), y = program.add_variable(-kInfinity, kInfinity);
  program.add_row(2, {{x, 1}, {y, 1}}, kInfinity);
  program.add_row(-kInfinity, {{y, 1}, {x, -1}}, 1);
  program.set_objective({{x, 3}, {y, 2}}, 0.5);
  // d_x = 3 - y1 + y2, d_y = 2 - y1 - y2: (2.5, -0.5) cancels both exactly, although y is free.
  const std::vector<double> duals = {2.5, -0.5};
  EXPECT_EQ(certified_bound(program, duals), 2.5 * 2 - 0.5 * 1 + 0.5);
}

TEST(CertifiedBound, IsMinusInfinityWhereAnUnboundedVariableHasACostOfUncertainSign) {
  Program program;
  const VariableId x = program.add_variable(-kInfinity, kInfinity);
  program.add_row(0, {{x, 3}}, kInfinity);
  program.set_objective({{x, 1}});
  EXPECT_EQ(certified_bound(program, std::vector{1.0 / 3}), -kInfinity);
  program.set_bounds(x, 0, kInfinity);
  EXPECT_EQ(certified_bound(program, std::vector{0.25}), 0);
}

TEST(CertifiedBound, IgnoresMultipliersOfInfiniteSides) {
  Program program;
  const VariableId x = program.add_variable(-1, 1);
  program.add_row(0, {{x, 1}}, kInfinity);
  program.set_objective({{x, 1}});
  EXPECT_NEAR(certified_bound(program, std::vector{-1.0}), -1, 1e-14);
  EXPECT_NEAR(certified_bound(program, std::vector{std::nan("")}), -1, 1e-14);
  EXPECT_NEAR(certified_bound(program, std::vector{1.0}), 0, 1e-14);
}

TEST(CertifiedBound, MinimisesSquaresOverTheBox) {
  Program program;
  const VariableId x = program.add_variable(-1, 3);
  program.add_row(-10, {{x, 1}}, 10);
  program.set_quadratic({{x, 2}});
  const std::vector<double> none = {0};
  const auto bound_with_cost = [&](double cost) {
    program.set_objective({{x, cost}});
    return certified_bound(program, none);
  };
  EXPECT_NEAR(bound_with_cost(0), 0, 1e-300);
  EXPECT_NEAR(bound_with_cost(-4), -2, 1e-14);    // at 1
  EXPECT_NEAR(bound_with_cost(-20), -42, 1e-13);  // at the upper end
  EXPECT_NEAR(bound_with_cost(8), -6, 1e-14);     // at the lower end
  program.set_bounds(x, -kInfinity, kInfinity);
  EXPECT_NEAR(bound_with_cost(-4), -2, 1e-14);
}

TEST(CertifiedBound, SurvivesOverflow) {
  Program program;
  const VariableId x = program.add_variable(-1e300, 1e300), y = program.add_variable(-1, 1);
  program.add_row(-1e300, {{x, 1e300}, {y, 1e-300}}, 1e300);
  program.add_row(-1e300, {{x, -1e300}, {y, 1e300}}, 1e300);
  program.set_objective({{x, 1}});
  for (const double a : {-1e300, -1.0, 1.0, 1e300}) {
    for (const double b : {-1e300, -1.0, 1.0, 1e300}) {
      const double bound = certified_bound(program, std::vector{a, b});
      EXPECT_FALSE(std::isnan(bound));
      EXPECT_LE(bound, 0);  // the origin is feasible
    }
  }
}

TEST(ProvesInfeasible, AcceptsARayAndNothingElse) {
  Program program;
  const VariableId x = program.add_variable(0, 1), y = program.add_variable(0, 1);
  program.add_row(3, {{x, 1}, {y, 1}}, kInfinity);
  EXPECT_TRUE(proves_infeasible(program, std::vector{1.0}));
  EXPECT_FALSE(proves_infeasible(program, std::vector{0.0}));
  EXPECT_FALSE(proves_infeasible(program, std::vector{-1.0}));
  program.set_bounds(RowId{0}, 2, kInfinity);  // x = y = 1 just satisfies it
  EXPECT_FALSE(proves_infeasible(program, std::vector{1.0}));
  program.set_bounds(RowId{0}, 2 + 1e-14, kInfinity);
  EXPECT_TRUE(proves_infeasible(program, std::vector{1.0}));
}

TEST(CertifiedBound, WantsOneMultiplierARow) {
  Program program;
  program.add_variable(0, 1);
  EXPECT_THROW(certified_bound(program, std::vector{1.0}), InternalError);
}

}  // namespace
}  // namespace plumb::program
