// Programs with integer variables, against enumeration.
#include <gtest/gtest.h>

#include <cmath>

#include "base/numbers.h"
#include "conformance/back_end.h"
#include "support/exact_program.h"

namespace plumb {
namespace {

using testing::BackEnd;
using testing::exact_minimum;
using testing::knapsack;
using testing::random_program;

TEST_P(BackEnd, SolvesKnapsacks) {
  if (!can().integer) return expect_refusal(knapsack(8, 1), {});
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const program::Program program = knapsack(10, seed);
    const program::SolveResult result = solve(program);
    ASSERT_STATUS(result, kOptimal);
    EXPECT_NEAR(result.objective, exact_minimum(program)->get_d(), 1e-5);
    EXPECT_NEAR(result.best_bound, result.objective, 1e-3);
  }
}

TEST_P(BackEnd, AgreesWithEnumeration) {
  if (!can().integer) return expect_refusal(knapsack(4, 1), {});
  std::mt19937_64 random(2);
  int feasible = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const program::Program program = random_program({.continuous = 2, .binaries = 4, .rows = 5}, random);
    const auto exact = exact_minimum(program);
    const program::SolveResult result = solve(program);
    if (!exact) {
      EXPECT_STATUS(result, kInfeasible);
      continue;
    }
    ++feasible;
    ASSERT_STATUS(result, kOptimal) << trial;
    EXPECT_NEAR(result.objective, exact->get_d(), 1e-5) << trial;
  }
  EXPECT_GT(feasible, 15);
}

TEST_P(BackEnd, SaysUnboundedOfIntegerPrograms) {
  program::Program program;
  const program::VariableId x = program.add_variable(0, kInfinity), b = program.add_binary();
  program.add_row(0, {{x, 1}, {b, -1}}, kInfinity);
  program.set_objective({{x, -1}});
  if (!can().integer) return expect_refusal(program, {});
  EXPECT_STATUS(solve(program), kUnbounded);
}

TEST_P(BackEnd, CountsTheOffset) {
  if (!can().integer) return expect_refusal(knapsack(10, 8), {});
  program::Program program = knapsack(10, 8);
  const double without = solve(program).objective;
  std::vector<program::Term> costs;
  for (std::int32_t j = 0; j < program.variables(); ++j)
    costs.push_back({program::VariableId{j}, program.cost(program::VariableId{j})});
  program.set_objective(costs, 1000);
  const program::SolveResult result = solve(program);
  EXPECT_NEAR(result.objective, without + 1000, 1e-5);
  EXPECT_NEAR(result.best_bound, without + 1000, 1e-2);
}

TEST_P(BackEnd, TakesStartValuesAsAHint) {
  if (!can().integer) return expect_refusal(knapsack(12, 7), {});
  const program::Program program = knapsack(12, 7);
  const program::SolveResult cold = solve(program);
  ASSERT_STATUS(cold, kOptimal);
  program::SolveRequest request;
  request.start = cold.point;
  for (double& value : request.start) value = std::round(value);
  const program::SolveResult warm = solve(program, request);
  ASSERT_STATUS(warm, kOptimal);
  EXPECT_NEAR(warm.objective, cold.objective, 1e-6);
  request.start.assign(request.start.size(), std::nan(""));
  request.start[0] = 1;
  EXPECT_NEAR(solve(program, request).objective, cold.objective, 1e-6);  // an incomplete start
  request.start.assign(request.start.size(), 1);
  EXPECT_NEAR(solve(program, request).objective, cold.objective, 1e-6);  // an infeasible start
  if (!can().start_values) return;
  request.start = cold.point;
  request.node_limit = 0;
  const program::SolveResult at_once = solve(program, request);
  ASSERT_TRUE(at_once.has_point());
  EXPECT_NEAR(at_once.objective, cold.objective, 1e-6);
}

}  // namespace
}  // namespace plumb
