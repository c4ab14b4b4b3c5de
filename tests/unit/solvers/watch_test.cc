#include "solvers/watch.h"

#include <gtest/gtest.h>

#include "conformance/programs.h"

namespace plumb::solvers {
namespace {

using testing::small_linear;

program::SolveResult optimal(std::vector<double> point) {
  program::SolveResult result;
  result.status = program::SolveStatus::kOptimal;
  result.point = std::move(point);
  return result;
}

TEST(Watch, BelievesNothingOfASolverThatWasStopped) {
  std::atomic<bool> cancel = true;
  program::SolveRequest request;
  request.cancel = &cancel;
  const program::Program program = small_linear();
  Watch watch(program, request);
  ASSERT_TRUE(watch.must_stop());
  program::SolveResult claimed;
  claimed.status = program::SolveStatus::kInfeasible;
  EXPECT_EQ(watch.conclude(claimed).status, program::SolveStatus::kCancelled);
}

TEST(Watch, KeepsThePointThatWasAcceptedAndNotALaterOne) {
  program::SolveRequest request;
  request.confirm = [](std::span<const double>) { return program::Confirmation::kAccept; };
  const program::Program program = small_linear();
  Watch watch(program, request);
  watch.show(std::vector{0.0, 1.0});
  watch.show(std::vector{1.0, 3.0});
  const program::SolveResult result = watch.conclude(optimal({1, 3}));
  EXPECT_EQ(result.status, program::SolveStatus::kSolutionAccepted);
  EXPECT_EQ(result.point, (std::vector{0.0, 1.0}));
  EXPECT_EQ(result.objective, 1);
}

TEST(Watch, ShowsEachPointOnce) {
  program::SolveRequest request;
  int calls = 0;
  request.confirm = [&](std::span<const double>) {
    ++calls;
    return program::Confirmation::kKeepGoing;
  };
  const program::Program program = small_linear();
  Watch watch(program, request);
  watch.show(std::vector{1.0, 3.0});
  EXPECT_EQ(watch.conclude(optimal({1, 3})).status, program::SolveStatus::kOptimal);
  EXPECT_EQ(calls, 1);
}

TEST(Watch, StopsWhenTheBoundReachesTheOneAskedFor) {
  program::SolveRequest request;
  request.stop_at_bound = -5;
  const program::Program program = small_linear();
  Watch watch(program, request);
  watch.raise_bound(-6);
  EXPECT_FALSE(watch.must_stop());
  watch.raise_bound(-5);
  watch.raise_bound(-7);  // the highest bound counts
  EXPECT_TRUE(watch.must_stop());
  program::SolveResult claimed;
  const program::SolveResult result = watch.conclude(claimed);
  EXPECT_EQ(result.status, program::SolveStatus::kBoundPassed);
  EXPECT_EQ(result.best_bound, -5);
}

TEST(Watch, CountsPointsThatWereFoundIntoTheBound) {
  // Everything left to search lies above -5, but a point at -6 is known: the bound has not been passed.
  program::SolveRequest request;
  request.stop_at_bound = -5.5;
  program::Program program = small_linear();
  program.set_objective({{program::VariableId{0}, -6.0}});
  Watch watch(program, request);
  watch.show(std::vector{1.0, 0.0});
  watch.raise_bound(-5);
  EXPECT_FALSE(watch.must_stop());
}

TEST(Watch, ComparesWithTheCutOffItself) {
  program::SolveRequest request;
  request.cutoff = -4 - 1e-9;  // a solver that was given loosened() finds -4
  const program::Program program = small_linear();
  Watch watch(program, request);
  const program::SolveResult result = watch.conclude(optimal({1, 3}));
  EXPECT_EQ(result.status, program::SolveStatus::kCutOff);
  EXPECT_FALSE(result.has_point());
}

}  // namespace
}  // namespace plumb::solvers
