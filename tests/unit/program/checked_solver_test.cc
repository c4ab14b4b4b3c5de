#include "program/checked_solver.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "faulty_solver.h"
#include "program/certified_bound.h"

namespace plumb::program {
namespace {

using testing::FaultySolver;
using testing::infeasible_answer;
using testing::integer_answer;
using testing::linear_answer;
using testing::small_infeasible;
using testing::small_integer;
using testing::small_linear;

const double kNan = std::nan("");

SolveResult checked(const Program& program, SolveResult answer, FaultySolver::Fault fault,
                    const SolveRequest& request = {}) {
  return CheckedSolver(std::make_unique<FaultySolver>(std::move(answer), std::move(fault))).solve(program, request);
}

TEST(CheckedSolver, PassesRightAnswersOn) {
  const auto none = [](SolveResult&) {};
  const SolveResult linear = checked(small_linear(), linear_answer(), none);
  EXPECT_EQ(linear.status, SolveStatus::kOptimal) << linear.message;
  EXPECT_EQ(linear.objective, -4);
  EXPECT_EQ(linear.row_duals, linear_answer().row_duals);
  EXPECT_EQ(checked(small_integer(), integer_answer(), none).status, SolveStatus::kOptimal);
  EXPECT_EQ(checked(small_infeasible(), infeasible_answer(), none).status, SolveStatus::kInfeasible);
}

struct Lie {
  const char* name;
  Program program;
  SolveResult answer;
  FaultySolver::Fault fault;
  const char* message;  // part of the expected message
};

std::vector<Lie> lies() {
  const Program linear = small_linear(), integer = small_integer(), infeasible = small_infeasible();
  const SolveResult of_linear = linear_answer(), of_integer = integer_answer(), of_infeasible = infeasible_answer();
  const auto set = [](auto member, auto value) { return [=](SolveResult& r) { r.*member = value; }; };
  using R = SolveResult;
  return {
      {"PointOutsideARow", linear, of_linear, set(&R::point, std::vector{2.0, 3.0}), "violates row"},
      {"PointOutsideABound", linear, of_linear, set(&R::point, std::vector{0.0, 4.0}), "outside the bounds of 'y'"},
      {"PointNotInteger", integer, of_integer, set(&R::point, std::vector{0.5, 1.0}), "the value 0.5"},
      {"PointNan", linear, of_linear, set(&R::point, std::vector{kNan, 3.0}), "not finite"},
      {"PointInfinite", linear, of_linear, set(&R::point, std::vector{1.0, kInfinity}), "not finite"},
      {"PointTooShort", linear, of_linear, set(&R::point, std::vector{1.0}), "1 values"},
      {"NoPoint", linear, of_linear, set(&R::point, std::vector<double>()), "no point"},
      {"ObjectiveWrong", linear, of_linear, set(&R::objective, -5.0), "claimed to be -5"},
      {"ObjectiveNan", linear, of_linear, set(&R::objective, kNan), "objective"},
      {"BoundAboveThePoint", integer, of_integer, set(&R::best_bound, -2.0), "above the point's objective"},
      {"BoundFarBelowAnOptimum", integer, of_integer, set(&R::best_bound, -4.0), "but the bound is -4"},
      {"BoundNan", integer, of_integer, set(&R::best_bound, kNan), "not a number"},
      {"DualsOfWrongSign", linear, of_linear,
       [](R& r) {
         for (auto* duals : {&r.row_duals, &r.reduced_costs}) {
           for (double& y : *duals) y = -y;
         }
       },
       "reduced cost"},
      {"RowDualsAloneOfWrongSign", linear, of_linear,
       [](R& r) {
         r.row_duals = {1, 0};
         r.reduced_costs = {-2, -3};
       },
       "duals prove"},
      {"DualsTooLarge", linear, of_linear,
       [](R& r) {
         r.row_duals = {-2, 0};
         r.reduced_costs = {1, 0};
       },
       "duals prove"},
      {"DualsNan", linear, of_linear, set(&R::row_duals, std::vector{kNan, 0.0}), "not finite"},
      {"DualsOfAnotherSize", linear, of_linear, set(&R::row_duals, std::vector{-1.0}), "number of row duals"},
      {"ReducedCostsWrong", linear, of_linear, set(&R::reduced_costs, std::vector{0.0, -2.0}), "reduced cost of 'y'"},
      {"InfeasibleWithAPoint", linear, of_linear, set(&R::status, SolveStatus::kInfeasible), "there is a point"},
      {"RayOfWrongSign", infeasible, of_infeasible, set(&R::farkas_ray, std::vector{-1.0}), "Farkas"},
      {"RayOfAFeasibleProgram", linear, of_infeasible, set(&R::farkas_ray, std::vector{1.0, 1.0}), "Farkas"},
      {"RayNan", infeasible, of_infeasible, set(&R::farkas_ray, std::vector{kNan}), "not finite"},
      {"RayOfAnOptimum", linear, of_linear, set(&R::farkas_ray, std::vector{1.0, 1.0}), "Farkas"},
      {"TimeLimitThatWasNotSet", linear, of_linear, set(&R::status, SolveStatus::kTimeLimit), "not requested"},
      {"WorkLimitThatWasNotSet", linear, of_linear, set(&R::status, SolveStatus::kWorkLimit), "not requested"},
      {"CutOffThatWasNotSet", linear, of_linear, set(&R::status, SolveStatus::kCutOff), "not requested"},
      {"BoundThatWasNotSet", linear, of_linear, set(&R::status, SolveStatus::kBoundPassed), "not requested"},
      {"AcceptedWithoutConfirm", linear, of_linear, set(&R::status, SolveStatus::kSolutionAccepted), "not requested"},
      {"CancelledByNobody", linear, of_linear, set(&R::status, SolveStatus::kCancelled), "not requested"},
      {"NegativeNodes", integer, of_integer, set(&R::nodes, std::int64_t{-1}), "negative"},
  };
}

class EveryLie : public ::testing::TestWithParam<Lie> {};

TEST_P(EveryLie, IsCaught) {
  const Lie& lie = GetParam();
  const SolveResult result = checked(lie.program, lie.answer, lie.fault);
  EXPECT_EQ(result.status, SolveStatus::kFailed);
  EXPECT_NE(result.message.find(lie.message), std::string::npos) << result.message;
  EXPECT_FALSE(result.has_point());
  EXPECT_EQ(result.best_bound, -kInfinity);  // no part of the answer is left that could be used by mistake
}

INSTANTIATE_TEST_SUITE_P(All, EveryLie, ::testing::ValuesIn(lies()), [](const auto& lie) { return lie.param.name; });

TEST(CheckedSolver, FindsABoundThatHasNotPassed) {
  SolveRequest request;
  request.stop_at_bound = -2;
  const auto claim = [](SolveResult& r) { r.status = SolveStatus::kBoundPassed; };
  EXPECT_EQ(checked(small_integer(), integer_answer(), claim, request).status, SolveStatus::kFailed);
  request.stop_at_bound = -3.5;
  EXPECT_EQ(checked(small_integer(), integer_answer(), claim, request).status, SolveStatus::kBoundPassed);
}

TEST(CheckedSolver, FindsAnOptimumAboveTheCutOff) {
  SolveRequest request;
  request.cutoff = -3.5;
  EXPECT_EQ(checked(
                small_integer(), integer_answer(), [](SolveResult&) {}, request)
                .status,
            SolveStatus::kFailed);
}

TEST(CheckedSolver, ShowsFeasiblePointsOnlyForConfirmation) {
  SolveRequest request;
  int calls = 0;
  request.confirm = [&](std::span<const double>) {
    ++calls;
    return Confirmation::kAccept;
  };
  SolveResult answer = integer_answer();
  EXPECT_EQ(checked(
                small_integer(), answer, [](SolveResult&) {}, request)
                .status,
            SolveStatus::kSolutionAccepted);
  EXPECT_EQ(calls, 1);
  answer.point = {1, 1};
  EXPECT_EQ(checked(
                small_integer(), answer, [](SolveResult&) {}, request)
                .status,
            SolveStatus::kFailed);
  EXPECT_EQ(calls, 1);
}

TEST(CheckedSolver, RefusesProgramsWhoseSmallCoefficientsMatterToTheSolver) {
  auto solver = std::make_unique<FaultySolver>(linear_answer());
  solver->info_.ignored_coefficient = 1e-9;
  const CheckedSolver checker(std::move(solver));
  Program program = small_linear();
  const VariableId far = program.add_variable(0, 1e6);
  program.add_row(0, {{far, 1e-10}}, 1);
  const SolveResult result = checker.solve(program, {});
  EXPECT_EQ(result.status, SolveStatus::kFailed);
  EXPECT_NE(result.message.find("as zero"), std::string::npos) << result.message;
}

// Ignoring them makes the duals of a session's program weaker, never wrong.
TEST(CheckedSolver, SessionsMaySolveProgramsWhoseSmallCoefficientsMatter) {
  auto solver = std::make_unique<FaultySolver>(linear_answer());
  solver->info_.ignored_coefficient = 10;  // more than every coefficient
  const CheckedSolver checker(std::move(solver));
  EXPECT_EQ(checker.solve(small_linear(), {}).status, SolveStatus::kFailed);
  const SolveResult result = checker.open_session(small_linear())->solve({});
  EXPECT_EQ(result.status, SolveStatus::kOptimal);
  EXPECT_NEAR(certified_bound(small_linear(), result.row_duals), result.objective, 1e-9);
}

TEST(CheckedSolver, ChecksSessionsToo) {
  const CheckedSolver lying(std::make_unique<FaultySolver>(linear_answer(), [](SolveResult& r) { r.point = {3, 3}; }));
  EXPECT_EQ(lying.open_session(small_linear())->solve({}).status, SolveStatus::kFailed);
  const CheckedSolver right(std::make_unique<FaultySolver>(linear_answer()));
  const auto session = right.open_session(small_linear());
  EXPECT_EQ(session->solve({}).status, SolveStatus::kOptimal);
  session->set_variable_bounds(VariableId{0}, 2, 3);  // the solver does not notice the change, but the checker does
  EXPECT_EQ(session->solve({}).status, SolveStatus::kFailed);
}

TEST(CheckedSolver, ThrowsForRequestsThatMakeNoSense) {
  const CheckedSolver solver(std::make_unique<FaultySolver>(linear_answer()));
  const auto expect_refused = [&](auto member, auto value) {
    SolveRequest request;
    request.*member = value;
    EXPECT_THROW(solver.solve(small_linear(), request), InternalError);
  };
  expect_refused(&SolveRequest::time_limit, -1.0);
  expect_refused(&SolveRequest::time_limit, kNan);
  expect_refused(&SolveRequest::threads, 0);
  expect_refused(&SolveRequest::relative_gap, kNan);
  expect_refused(&SolveRequest::cutoff, kNan);
  expect_refused(&SolveRequest::start, std::vector{1.0});
}

}  // namespace
}  // namespace plumb::program
