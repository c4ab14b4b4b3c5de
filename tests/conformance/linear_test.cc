// Linear programs: optima, and the duals and rays that prove them; degenerate and badly scaled programs.
#include <gtest/gtest.h>

#include "base/numbers.h"
#include "conformance/back_end.h"
#include "program/certified_bound.h"

namespace plumb {
namespace {

using testing::BackEnd;
using testing::random_program;
using testing::small_linear;

TEST_P(BackEnd, SolvesALinearProgram) {
  const program::SolveResult result = solve(small_linear());
  ASSERT_STATUS(result, kOptimal);
  EXPECT_NEAR(result.objective, -4, 1e-6);
  EXPECT_NEAR(result.best_bound, -4, 1e-6);
  EXPECT_NEAR(result.point[0], 1, 1e-6);
  EXPECT_NEAR(result.point[1], 3, 1e-6);
}

TEST_P(BackEnd, SolvesProgramsWithoutRows) {
  program::Program program;
  const program::VariableId x = program.add_variable(-1, 2);
  program.set_objective({{x, 3}}, 1);
  const program::SolveResult result = solve(program);
  ASSERT_STATUS(result, kOptimal);
  EXPECT_NEAR(result.objective, -2, 1e-9);
}

TEST_P(BackEnd, DualsProveTheOptimum) {
  if (!can().duals) {
    EXPECT_TRUE(solve(small_linear()).row_duals.empty());
    return;
  }
  std::mt19937_64 random(7);
  int solved = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const program::Program program = random_program({.continuous = 8, .binaries = 0, .rows = 6}, random);
    const program::SolveResult result = solve(program);
    if (result.status != program::SolveStatus::kOptimal) continue;
    ++solved;
    ASSERT_EQ(std::ssize(result.row_duals), program.rows());
    ASSERT_EQ(std::ssize(result.reduced_costs), program.variables());
    const double proven = certified_bound(program, result.row_duals);
    EXPECT_LE(proven, result.objective + 1e-9);
    EXPECT_GE(proven, result.objective - 1e-6);
  }
  EXPECT_GT(solved, 20);
}

TEST_P(BackEnd, FarkasRaysProveInfeasibility) {
  std::mt19937_64 random(8);
  int infeasible = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const program::Program program = random_program({.continuous = 6, .binaries = 0, .rows = 9}, random);
    const program::SolveResult result = solve(program);
    if (result.status != program::SolveStatus::kInfeasible) continue;
    ++infeasible;
    EXPECT_EQ(result.best_bound, kInfinity);
    if (can().farkas_ray) {
      ASSERT_FALSE(result.farkas_ray.empty());
      EXPECT_TRUE(proves_infeasible(program, result.farkas_ray));
    } else {
      EXPECT_TRUE(result.farkas_ray.empty() || proves_infeasible(program, result.farkas_ray));
    }
  }
  EXPECT_GT(infeasible, 10);
}

TEST_P(BackEnd, SaysUnbounded) {
  program::Program program;
  const program::VariableId x = program.add_variable(0, kInfinity), y = program.add_variable(-kInfinity, kInfinity);
  program.add_row(-kInfinity, {{x, 1}, {y, -1}}, 2);
  program.set_objective({{x, -1}, {y, -1}});
  EXPECT_STATUS(solve(program), kUnbounded);
}

TEST_P(BackEnd, InfeasibleBeatsUnbounded) {
  program::Program program;
  const program::VariableId x = program.add_variable(0, kInfinity), y = program.add_variable(0, 1);
  program.add_row(2, {{y, 1}}, kInfinity);
  program.add_row(-kInfinity, {{y, 1}, {x, 0}}, 1);
  program.set_objective({{x, -1}});
  EXPECT_STATUS(solve(program), kInfeasible);
}

TEST_P(BackEnd, SolvesDegeneratePrograms) {
  // A transportation problem whose supplies and demands are all equal: every vertex is degenerate.
  program::Program program;
  constexpr std::size_t kPlaces = 8;
  std::vector<std::vector<program::VariableId>> flow(kPlaces, std::vector<program::VariableId>(kPlaces));
  std::vector<program::Term> costs;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    for (std::size_t j = 0; j < kPlaces; ++j) {
      flow[i][j] = program.add_variable(0, 1);
      costs.push_back({flow[i][j], static_cast<double>((i * j) % 5)});
    }
  }
  for (std::size_t i = 0; i < kPlaces; ++i) {
    std::vector<program::Term> out, in;
    for (std::size_t j = 0; j < kPlaces; ++j) {
      out.push_back({flow[i][j], 1});
      in.push_back({flow[j][i], 1});
    }
    program.add_row(1, out, 1);
    program.add_row(1, in, 1);
  }
  program.set_objective(costs);
  const program::SolveResult result = solve(program);
  ASSERT_STATUS(result, kOptimal);
  // Only routes from or to the places 0 and 5 are free. They serve two of the other six sources and two of the other
  // six destinations. Four shipments are left, and each costs at least 1.
  EXPECT_NEAR(result.objective, 4, 1e-6);
  if (can().duals) {
    EXPECT_NEAR(certified_bound(program, result.row_duals), 4, 1e-6);
  }
}

TEST_P(BackEnd, SolvesBadlyScaledPrograms) {
  // The coefficients span ten orders of magnitude. The only optimum is x = 1e5, y = 1e-5, with value -2.
  program::Program program;
  const program::VariableId x = program.add_variable(0, 1e6), y = program.add_variable(0, 1e-3);
  program.add_row(-kInfinity, {{x, 1e-5}, {y, 1e5}}, 2);
  program.add_row(-kInfinity, {{x, 1}}, 1e5);
  program.set_objective({{x, -1e-5}, {y, -1e5}});
  const program::SolveResult result = solve(program);
  ASSERT_STATUS(result, kOptimal);
  EXPECT_NEAR(result.objective, -2, 1e-5);
  if (can().duals) {
    EXPECT_NEAR(certified_bound(program, result.row_duals), -2, 1e-5);
  }
}

}  // namespace
}  // namespace plumb
