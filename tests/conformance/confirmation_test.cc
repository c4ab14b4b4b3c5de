// Points that the solver shows while it runs, and how it reacts to the answers.
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/numbers.h"
#include "conformance/back_end.h"

namespace plumb {
namespace {

using testing::BackEnd;
using testing::knapsack;
using testing::small_linear;

program::SolveRequest declining() {
  program::SolveRequest request;
  request.confirm = [](std::span<const double>) { return program::Confirmation::kKeepGoing; };
  return request;
}

TEST_P(BackEnd, StopsAtASolutionThatIsConfirmed) {
  if (!can().integer) return expect_refusal(knapsack(30, 5), {});
  const program::Program program = knapsack(30, 5);
  program::SolveRequest request;
  int calls = 0;
  request.confirm = [&](std::span<const double> point) {
    EXPECT_EQ(std::ssize(point), program.variables());
    ++calls;
    return program.objective(point) < -100 ? program::Confirmation::kAccept : program::Confirmation::kKeepGoing;
  };
  if (!can().confirm) return expect_refusal(program, request);
  const program::SolveResult result = solve(program, request);
  ASSERT_STATUS(result, kSolutionAccepted);
  EXPECT_LT(result.objective, -100);
  EXPECT_GE(calls, 1);
}

TEST_P(BackEnd, GoesOnToTheOptimumWhenNoSolutionIsConfirmed) {
  if (!can().confirm) return expect_refusal(small_linear(), declining());
  for (const program::Program& program : {small_linear(), knapsack(10, 6)}) {
    if (program.is_integer() && !can().integer) continue;
    program::SolveRequest request;
    double best = kInfinity;
    request.confirm = [&](std::span<const double> point) {
      best = std::min(best, program.objective(point));
      return program::Confirmation::kKeepGoing;
    };
    const program::SolveResult result = solve(program, request);
    ASSERT_STATUS(result, kOptimal);
    EXPECT_NEAR(best, result.objective, 1e-6);  // the optimum was shown
  }
}

TEST_P(BackEnd, ExceptionsOfTheConfirmationReachTheCaller) {
  if (!can().confirm) return expect_refusal(small_linear(), declining());
  program::SolveRequest request;
  request.confirm = [](std::span<const double>) -> program::Confirmation { throw std::runtime_error("from confirm"); };
  EXPECT_THROW(solve(small_linear(), request), std::runtime_error);
  if (can().integer) {
    EXPECT_THROW(solve(knapsack(10, 6), request), std::runtime_error);
  }
}

TEST_P(BackEnd, MaySolveInsideAConfirmation) {
  if (!can().confirm) return expect_refusal(small_linear(), declining());
  if (!can().integer) return expect_refusal(knapsack(20, 9), declining());
  const program::Program program = knapsack(20, 9);
  program::SolveRequest request;
  int inner = 0;
  request.confirm = [&](std::span<const double>) {
    EXPECT_STATUS(solve(small_linear()), kOptimal);
    EXPECT_STATUS(solve(knapsack(6, 1)), kOptimal);
    ++inner;
    return program::Confirmation::kKeepGoing;
  };
  EXPECT_STATUS(solve(program, request), kOptimal);
  EXPECT_GT(inner, 0);
}

}  // namespace
}  // namespace plumb
