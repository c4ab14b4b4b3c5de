#include "solvers/watch.h"

#include <gtest/gtest.h>

#include "conformance/programs.h"

namespace plumb {
namespace {

using testing::small_linear;

SolveResult optimal(std::vector<double> point) {
  SolveResult result;
  result.status = SolveStatus::kOptimal;
  result.point = std::move(point);
  return result;
}

TEST(Watch, BelievesNothingOfASolverThatWasStopped) {
  std::atomic<bool> cancel = true;
  SolveRequest request;
  request.cancel = &cancel;
  const Program program = small_linear();
  Watch watch(program, request);
  ASSERT_TRUE(watch.must_stop());
  SolveResult claimed;
  claimed.status = SolveStatus::kInfeasible;
  EXPECT_EQ(watch.conclude(claimed).status, SolveStatus::kCancelled);
}

TEST(Watch, KeepsThePointThatWasAcceptedAndNotALaterOne) {
  SolveRequest request;
  request.confirm = [](std::span<const double>) { return Confirmation::kAccept; };
  const Program program = small_linear();
  Watch watch(program, request);
  watch.show(std::vector{0.0, 1.0});
  watch.show(std::vector{1.0, 3.0});
  const SolveResult result = watch.conclude(optimal({1, 3}));
  EXPECT_EQ(result.status, SolveStatus::kSolutionAccepted);
  EXPECT_EQ(result.point, (std::vector{0.0, 1.0}));
  EXPECT_EQ(result.objective, 1);
}

TEST(Watch, ShowsEachPointOnce) {
  SolveRequest request;
  int calls = 0;
  request.confirm = [&](std::span<const double>) {
    ++calls;
    return Confirmation::kKeepGoing;
  };
  const Program program = small_linear();
  Watch watch(program, request);
  watch.show(std::vector{1.0, 3.0});
  EXPECT_EQ(watch.conclude(optimal({1, 3})).status, SolveStatus::kOptimal);
  EXPECT_EQ(calls, 1);
}

TEST(Watch, StopsWhenTheBoundReachesTheOneAskedFor) {
  SolveRequest request;
  request.stop_at_bound = -5;
  const Program program = small_linear();
  Watch watch(program, request);
  watch.raise_bound(-6);
  EXPECT_FALSE(watch.must_stop());
  watch.raise_bound(-5);
  watch.raise_bound(-7);  // the highest counts
  EXPECT_TRUE(watch.must_stop());
  SolveResult claimed;
  const SolveResult result = watch.conclude(claimed);
  EXPECT_EQ(result.status, SolveStatus::kBoundPassed);
  EXPECT_EQ(result.best_bound, -5);
}

TEST(Watch, CountsPointsThatWereFoundIntoTheBound) {
  // What is left to search lies above -5, but a point at -6 is known: the bound has not passed.
  SolveRequest request;
  request.stop_at_bound = -5.5;
  Program program = small_linear();
  program.set_objective({{VariableId{0}, -6.0}});
  Watch watch(program, request);
  watch.show(std::vector{1.0, 0.0});
  watch.raise_bound(-5);
  EXPECT_FALSE(watch.must_stop());
}

TEST(Watch, ComparesWithTheCutOffItself) {
  SolveRequest request;
  request.cutoff = -4 - 1e-9;  // a solver that was given loosened() finds -4
  const Program program = small_linear();
  Watch watch(program, request);
  const SolveResult result = watch.conclude(optimal({1, 3}));
  EXPECT_EQ(result.status, SolveStatus::kCutOff);
  EXPECT_FALSE(result.has_point());
}

}  // namespace
}  // namespace plumb
