// What ends a solve early: limits, cancellation, cut-offs, and bounds at which to stop.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "conformance/back_end.h"
#include "support/exact_program.h"

namespace plumb {
namespace {

using testing::BackEnd;
using testing::exact_minimum;
using testing::knapsack;
using testing::market_split;
using testing::small_linear;

TEST_P(BackEnd, StopsAtTheTimeLimit) {
  if (!can().integer) return expect_refusal(market_split(5, 40, 1), {});
  program::SolveRequest request;
  request.time_limit = 0.5;
  const program::SolveResult result = solve(market_split(5, 40, 1), request);
  EXPECT_STATUS(result, kTimeLimit);
  EXPECT_LT(result.best_bound, 1000);
}

TEST_P(BackEnd, StopsAtTheNodeLimit) {
  if (!can().integer) return expect_refusal(market_split(3, 25, 1), {});
  program::SolveRequest request;
  request.node_limit = 20;
  if (!can().node_limit) return expect_refusal(market_split(3, 25, 1), request);
  const program::SolveResult result = solve(market_split(3, 25, 1), request);
  EXPECT_STATUS(result, kWorkLimit);
  EXPECT_LE(result.nodes, 200);
}

TEST_P(BackEnd, StopsAtTheIterationLimit) {
  std::mt19937_64 random(5);
  const program::Program program = market_split(20, 60, 2).relaxation();
  program::SolveRequest request;
  request.iteration_limit = 3;
  if (!can().iteration_limit) return expect_refusal(program, request);
  EXPECT_STATUS(solve(program, request), kWorkLimit);
}

TEST_P(BackEnd, CancelsWhenTold) {
  if (!can().integer) return expect_refusal(market_split(5, 40, 1), {});
  std::atomic<bool> cancel = false;
  program::SolveRequest request;
  request.cancel = &cancel;
  request.time_limit = can().cancel ? 60 : 1;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    cancel = true;
  });
  const program::SolveResult result = solve(market_split(5, 40, 1), request);
  canceller.join();
  // A solver that cannot be cancelled runs until its limit.
  EXPECT_EQ(result.status, can().cancel ? program::SolveStatus::kCancelled : program::SolveStatus::kTimeLimit)
      << result.message;
}

TEST_P(BackEnd, CutsOffWhatIsNotBelow) {
  for (const program::Program& program : {small_linear(), knapsack(10, 1)}) {
    if (program.is_integer() && !can().integer) continue;
    const double optimum = program.is_integer() ? exact_minimum(program)->get_d() : -4;
    program::SolveRequest request;
    request.cutoff = optimum + 0.5;
    if (!can().cutoff) {
      expect_refusal(program, request);
      continue;
    }
    const program::SolveResult above = solve(program, request);
    ASSERT_STATUS(above, kOptimal);
    EXPECT_NEAR(above.objective, optimum, 1e-5);
    request.cutoff = optimum - 0.5;
    const program::SolveResult below = solve(program, request);
    EXPECT_STATUS(below, kCutOff);
    EXPECT_GE(below.best_bound, optimum - 0.5);
    EXPECT_FALSE(below.has_point());
  }
}

TEST_P(BackEnd, StopsWhenTheBoundPasses) {
  for (const double offset : {0.0, 1000.0, -1000.0}) {
    for (program::Program program : {small_linear(), knapsack(12, 4)}) {
      if (program.is_integer() && !can().integer) continue;
      std::vector<program::Term> costs;
      for (std::int32_t j = 0; j < program.variables(); ++j) {
        costs.push_back({program::VariableId{j}, program.cost(program::VariableId{j})});
      }
      program.set_objective(costs, offset);
      const double optimum = program.is_integer() ? exact_minimum(program)->get_d() : offset - 7;
      program::SolveRequest request;
      request.stop_at_bound = optimum - 0.5;
      if (!can().stop_at_bound) {
        expect_refusal(program, request);
        continue;
      }
      const program::SolveResult passed = solve(program, request);
      ASSERT_STATUS(passed, kBoundPassed);
      EXPECT_GE(passed.best_bound, optimum - 0.5);
      EXPECT_LE(passed.best_bound, optimum + 1e-5);
      request.stop_at_bound = optimum + 0.5;
      EXPECT_STATUS(solve(program, request), kOptimal);
    }
  }
}

}  // namespace
}  // namespace plumb
