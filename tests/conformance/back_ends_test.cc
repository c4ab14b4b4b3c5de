// One suite for every back end. One that declares that it cannot do something must say so when asked; those that
// are not available here are left out.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

#include "base/error.h"
#include "conformance/programs.h"
#include "program/certified_bound.h"
#include "solvers/solvers.h"
#include "support/exact_program.h"

namespace plumb {
namespace {

using testing::exact_minimum;
using testing::knapsack;
using testing::market_split;
using testing::random_program;
using testing::small_linear;

class BackEnd : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { solver_ = make_solver(GetParam()); }

  const Capabilities& can() const { return solver_->info().can; }
  SolveResult solve(const Program& program, const SolveRequest& request = {}) const {
    return solver_->solve(program, request);
  }
  // A request for something that the solver cannot do fails and says so.
  void expect_refusal(const Program& program, const SolveRequest& request) const {
    const SolveResult result = solve(program, request);
    EXPECT_EQ(result.status, SolveStatus::kFailed);
    EXPECT_NE(result.message.find(solver_->info().name + " cannot"), std::string::npos) << result.message;
  }

  std::unique_ptr<const Solver> solver_;
};

#define EXPECT_STATUS(result, expected) \
  EXPECT_EQ(name_of((result).status), std::string(name_of(SolveStatus::expected))) << (result).message
#define ASSERT_STATUS(result, expected) \
  ASSERT_EQ(name_of((result).status), std::string(name_of(SolveStatus::expected))) << (result).message

TEST_P(BackEnd, SolvesALinearProgram) {
  const SolveResult result = solve(small_linear());
  ASSERT_STATUS(result, kOptimal);
  EXPECT_NEAR(result.objective, -4, 1e-6);
  EXPECT_NEAR(result.best_bound, -4, 1e-6);
  EXPECT_NEAR(result.point[0], 1, 1e-6);
  EXPECT_NEAR(result.point[1], 3, 1e-6);
}

TEST_P(BackEnd, DualsProveTheOptimum) {
  if (!can().duals) {
    EXPECT_TRUE(solve(small_linear()).row_duals.empty());
    return;
  }
  std::mt19937_64 random(7);
  int solved = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Program program = random_program({.continuous = 8, .binaries = 0, .rows = 6}, random);
    const SolveResult result = solve(program);
    if (result.status != SolveStatus::kOptimal) continue;
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
    const Program program = random_program({.continuous = 6, .binaries = 0, .rows = 9}, random);
    const SolveResult result = solve(program);
    if (result.status != SolveStatus::kInfeasible) continue;
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
  Program program;
  const VariableId x = program.add_variable(0, kInfinity), y = program.add_variable(-kInfinity, kInfinity);
  program.add_row(-kInfinity, {{x, 1}, {y, -1}}, 2);
  program.set_objective({{x, -1}, {y, -1}});
  EXPECT_STATUS(solve(program), kUnbounded);
}

TEST_P(BackEnd, SaysUnboundedOfIntegerPrograms) {
  if (!can().integer) GTEST_SKIP() << "no integers";
  Program program;
  const VariableId x = program.add_variable(0, kInfinity), b = program.add_binary();
  program.add_row(0, {{x, 1}, {b, -1}}, kInfinity);
  program.set_objective({{x, -1}});
  EXPECT_STATUS(solve(program), kUnbounded);
}

TEST_P(BackEnd, InfeasibleBeatsUnbounded) {
  Program program;
  const VariableId x = program.add_variable(0, kInfinity), y = program.add_variable(0, 1);
  program.add_row(2, {{y, 1}}, kInfinity);
  program.add_row(-kInfinity, {{y, 1}, {x, 0}}, 1);
  program.set_objective({{x, -1}});
  EXPECT_STATUS(solve(program), kInfeasible);
}

TEST_P(BackEnd, SolvesKnapsacks) {
  if (!can().integer) return expect_refusal(knapsack(8, 1), {});
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Program program = knapsack(10, seed);
    const SolveResult result = solve(program);
    ASSERT_STATUS(result, kOptimal);
    EXPECT_NEAR(result.objective, exact_minimum(program)->get_d(), 1e-5);
    EXPECT_NEAR(result.best_bound, result.objective, 1e-3);
  }
}

TEST_P(BackEnd, AgreesWithEnumeration) {
  if (!can().integer) GTEST_SKIP() << "no integers";
  std::mt19937_64 random(2);
  int feasible = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Program program = random_program({.continuous = 2, .binaries = 4, .rows = 5}, random);
    const auto exact = exact_minimum(program);
    const SolveResult result = solve(program);
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

TEST_P(BackEnd, MinimisesConvexQuadratics) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 15; ++trial) {
    const Program program = random_program({.continuous = 3, .binaries = 0, .rows = 3, .squares = true}, random);
    if (!can().quadratic) return expect_refusal(program, {});
    const auto exact = exact_minimum(program);
    const SolveResult result = solve(program);
    if (!exact) {
      EXPECT_STATUS(result, kInfeasible);
      continue;
    }
    ASSERT_STATUS(result, kOptimal) << trial;
    EXPECT_NEAR(result.objective, exact->get_d(), 2e-5) << trial;
    if (!result.row_duals.empty()) {
      const double proven = certified_bound(program, result.row_duals);
      EXPECT_LE(proven, exact->get_d() + 1e-9);
      EXPECT_GE(proven, exact->get_d() - 1e-4);
    }
  }
}

TEST_P(BackEnd, MinimisesConvexQuadraticsOverIntegers) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 15; ++trial) {
    const Program program = random_program({.continuous = 2, .binaries = 3, .rows = 3, .squares = true}, random);
    if (!can().integer_quadratic) return expect_refusal(program, {});
    const auto exact = exact_minimum(program);
    const SolveResult result = solve(program);
    if (!exact) {
      EXPECT_STATUS(result, kInfeasible);
      continue;
    }
    ASSERT_STATUS(result, kOptimal) << trial;
    EXPECT_NEAR(result.objective, exact->get_d(), 2e-5) << trial;
    EXPECT_LE(result.best_bound, exact->get_d() + 1e-5) << trial;
  }
}

TEST_P(BackEnd, StopsAtTheTimeLimit) {
  if (!can().integer) GTEST_SKIP() << "no integers";
  SolveRequest request;
  request.time_limit = 0.5;
  const SolveResult result = solve(market_split(5, 40, 1), request);
  EXPECT_STATUS(result, kTimeLimit);
  EXPECT_LT(result.best_bound, 1000);
}

TEST_P(BackEnd, StopsAtTheNodeLimit) {
  if (!can().integer) GTEST_SKIP() << "no integers";
  SolveRequest request;
  request.node_limit = 20;
  if (!can().node_limit) return expect_refusal(market_split(3, 25, 1), request);
  const SolveResult result = solve(market_split(3, 25, 1), request);
  EXPECT_STATUS(result, kWorkLimit);
  EXPECT_LE(result.nodes, 200);
}

TEST_P(BackEnd, StopsAtTheIterationLimit) {
  std::mt19937_64 random(5);
  const Program program = market_split(20, 60, 2).relaxation();
  SolveRequest request;
  request.iteration_limit = 3;
  if (!can().iteration_limit) return expect_refusal(program, request);
  EXPECT_STATUS(solve(program, request), kWorkLimit);
}

TEST_P(BackEnd, CancelsWhenTold) {
  if (!can().integer || !can().cancel) GTEST_SKIP() << "no integers, or no cancellation";
  std::atomic<bool> cancel = false;
  SolveRequest request;
  request.cancel = &cancel;
  request.time_limit = 60;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    cancel = true;
  });
  const SolveResult result = solve(market_split(5, 40, 1), request);
  canceller.join();
  EXPECT_STATUS(result, kCancelled);
}

TEST_P(BackEnd, CutsOffWhatIsNotBelow) {
  for (const Program& program : {small_linear(), knapsack(10, 1)}) {
    if (program.is_integer() && !can().integer) continue;
    const double optimum = program.is_integer() ? exact_minimum(program)->get_d() : -4;
    SolveRequest request;
    request.cutoff = optimum + 0.5;
    if (!can().cutoff) {
      expect_refusal(program, request);
      continue;
    }
    const SolveResult above = solve(program, request);
    ASSERT_STATUS(above, kOptimal);
    EXPECT_NEAR(above.objective, optimum, 1e-5);
    request.cutoff = optimum - 0.5;
    const SolveResult below = solve(program, request);
    EXPECT_STATUS(below, kCutOff);
    EXPECT_GE(below.best_bound, optimum - 0.5);
    EXPECT_FALSE(below.has_point());
  }
}

TEST_P(BackEnd, StopsWhenTheBoundPasses) {
  for (const double offset : {0.0, 1000.0, -1000.0}) {
    for (Program program : {small_linear(), knapsack(12, 4)}) {
      if (program.is_integer() && !can().integer) continue;
      std::vector<Term> costs;
      for (std::int32_t j = 0; j < program.variables(); ++j) {
        costs.push_back({VariableId{j}, program.cost(VariableId{j})});
      }
      program.set_objective(costs, offset);
      const double optimum = program.is_integer() ? exact_minimum(program)->get_d() : offset - 7;
      SolveRequest request;
      request.stop_at_bound = optimum - 0.5;
      if (!can().stop_at_bound) {
        expect_refusal(program, request);
        continue;
      }
      const SolveResult passed = solve(program, request);
      ASSERT_STATUS(passed, kBoundPassed);
      EXPECT_GE(passed.best_bound, optimum - 0.5);
      EXPECT_LE(passed.best_bound, optimum + 1e-5);
      request.stop_at_bound = optimum + 0.5;
      EXPECT_STATUS(solve(program, request), kOptimal);
    }
  }
}

TEST_P(BackEnd, StopsAtASolutionThatIsConfirmed) {
  if (!can().integer) GTEST_SKIP() << "no integers";
  const Program program = knapsack(30, 5);
  SolveRequest request;
  int calls = 0;
  request.confirm = [&](std::span<const double> point) {
    EXPECT_EQ(std::ssize(point), program.variables());
    ++calls;
    return program.objective(point) < -100 ? Confirmation::kAccept : Confirmation::kKeepGoing;
  };
  if (!can().confirm) return expect_refusal(program, request);
  const SolveResult result = solve(program, request);
  ASSERT_STATUS(result, kSolutionAccepted);
  EXPECT_LT(result.objective, -100);
  EXPECT_GE(calls, 1);
}

TEST_P(BackEnd, GoesOnToTheOptimumWhenNoSolutionIsConfirmed) {
  if (!can().confirm) GTEST_SKIP() << "no confirmation";
  for (const Program& program : {small_linear(), knapsack(10, 6)}) {
    if (program.is_integer() && !can().integer) continue;
    SolveRequest request;
    double best = kInfinity;
    request.confirm = [&](std::span<const double> point) {
      best = std::min(best, program.objective(point));
      return Confirmation::kKeepGoing;
    };
    const SolveResult result = solve(program, request);
    ASSERT_STATUS(result, kOptimal);
    EXPECT_NEAR(best, result.objective, 1e-6);  // the optimum was shown
  }
}

TEST_P(BackEnd, ExceptionsOfTheConfirmationReachTheCaller) {
  if (!can().confirm) GTEST_SKIP() << "no confirmation";
  SolveRequest request;
  request.confirm = [](std::span<const double>) -> Confirmation { throw std::runtime_error("from confirm"); };
  EXPECT_THROW(solve(small_linear(), request), std::runtime_error);
  if (can().integer) {
    EXPECT_THROW(solve(knapsack(10, 6), request), std::runtime_error);
  }
}

TEST_P(BackEnd, MaySolveInsideAConfirmation) {
  if (!can().confirm || !can().integer) GTEST_SKIP() << "no confirmation";
  const Program program = knapsack(20, 9);
  SolveRequest request;
  int inner = 0;
  request.confirm = [&](std::span<const double>) {
    EXPECT_STATUS(solve(small_linear()), kOptimal);
    EXPECT_STATUS(solve(knapsack(6, 1)), kOptimal);
    ++inner;
    return Confirmation::kKeepGoing;
  };
  EXPECT_STATUS(solve(program, request), kOptimal);
  EXPECT_GT(inner, 0);
}

TEST_P(BackEnd, SolvesDegeneratePrograms) {
  // A transportation problem whose supplies and demands are all equal: every vertex is degenerate.
  Program program;
  constexpr std::size_t kPlaces = 8;
  std::vector<std::vector<VariableId>> flow(kPlaces, std::vector<VariableId>(kPlaces));
  std::vector<Term> costs;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    for (std::size_t j = 0; j < kPlaces; ++j) {
      flow[i][j] = program.add_variable(0, 1);
      costs.push_back({flow[i][j], static_cast<double>((i * j) % 5)});
    }
  }
  for (std::size_t i = 0; i < kPlaces; ++i) {
    std::vector<Term> out, in;
    for (std::size_t j = 0; j < kPlaces; ++j) {
      out.push_back({flow[i][j], 1});
      in.push_back({flow[j][i], 1});
    }
    program.add_row(1, out, 1);
    program.add_row(1, in, 1);
  }
  program.set_objective(costs);
  const SolveResult result = solve(program);
  ASSERT_STATUS(result, kOptimal);
  // Six places are left once those that ship for nothing (0 and 5) are used, two of them served by 0 and 5.
  EXPECT_NEAR(result.objective, 4, 1e-6);
  if (can().duals) {
    EXPECT_NEAR(certified_bound(program, result.row_duals), 4, 1e-6);
  }
}

TEST_P(BackEnd, SolvesBadlyScaledPrograms) {
  // The numbers span ten orders of magnitude. x = 1e5, y = 1e-5 is the only optimum: -2.
  Program program;
  const VariableId x = program.add_variable(0, 1e6), y = program.add_variable(0, 1e-3);
  program.add_row(-kInfinity, {{x, 1e-5}, {y, 1e5}}, 2);
  program.add_row(-kInfinity, {{x, 1}}, 1e5);
  program.set_objective({{x, -1e-5}, {y, -1e5}});
  const SolveResult result = solve(program);
  ASSERT_STATUS(result, kOptimal);
  EXPECT_NEAR(result.objective, -2, 1e-5);
  if (can().duals) {
    EXPECT_NEAR(certified_bound(program, result.row_duals), -2, 1e-5);
  }
}

TEST_P(BackEnd, TakesStartValuesAsAHint) {
  if (!can().integer) GTEST_SKIP() << "no integers";
  const Program program = knapsack(12, 7);
  const SolveResult cold = solve(program);
  ASSERT_STATUS(cold, kOptimal);
  SolveRequest request;
  request.start = cold.point;
  for (double& value : request.start) value = std::round(value);
  const SolveResult warm = solve(program, request);
  ASSERT_STATUS(warm, kOptimal);
  EXPECT_NEAR(warm.objective, cold.objective, 1e-6);
  request.start.assign(request.start.size(), std::nan(""));
  request.start[0] = 1;
  EXPECT_NEAR(solve(program, request).objective, cold.objective, 1e-6);  // incomplete
  request.start.assign(request.start.size(), 1);
  EXPECT_NEAR(solve(program, request).objective, cold.objective, 1e-6);  // not feasible
  if (!can().start_values) return;
  request.start = cold.point;
  request.node_limit = 0;
  const SolveResult at_once = solve(program, request);
  ASSERT_TRUE(at_once.has_point());
  EXPECT_NEAR(at_once.objective, cold.objective, 1e-6);
}

TEST_P(BackEnd, CountsTheOffset) {
  if (!can().integer) GTEST_SKIP() << "no integers";
  Program program = knapsack(10, 8);
  const double without = solve(program).objective;
  std::vector<Term> costs;
  for (std::int32_t j = 0; j < program.variables(); ++j) costs.push_back({VariableId{j}, program.cost(VariableId{j})});
  program.set_objective(costs, 1000);
  const SolveResult result = solve(program);
  EXPECT_NEAR(result.objective, without + 1000, 1e-5);
  EXPECT_NEAR(result.best_bound, without + 1000, 1e-2);
}

TEST_P(BackEnd, SolvesProgramsWithoutRows) {
  Program program;
  const VariableId x = program.add_variable(-1, 2);
  program.set_objective({{x, 3}}, 1);
  const SolveResult result = solve(program);
  ASSERT_STATUS(result, kOptimal);
  EXPECT_NEAR(result.objective, -2, 1e-9);
}

TEST_P(BackEnd, SessionsFollowChangesOfObjectiveAndBounds) {
  std::mt19937_64 random(10);
  const Program program = market_split(6, 20, 3).relaxation();
  const auto session = solver_->open_session(program);
  std::uniform_real_distribution<double> cost(-1, 1);
  for (int round = 0; round < 40; ++round) {
    if (round % 3 == 2) {
      const VariableId fixed{static_cast<std::int32_t>(random() % 20)};
      const double value = random() % 2 ? 1.0 : 0.0;
      session->set_variable_bounds(fixed, value, random() % 2 ? value : 1.0);
    } else {
      std::vector<Term> costs;
      for (std::int32_t j = 0; j < 20; ++j) costs.push_back({VariableId{j}, cost(random)});
      for (std::int32_t j = 20; j < program.variables(); ++j) costs.push_back({VariableId{j}, 1});
      session->set_objective(costs, cost(random));
    }
    const SolveResult warm = session->solve({});
    const SolveResult cold = solve(session->program());
    ASSERT_STATUS(cold, kOptimal);
    ASSERT_STATUS(warm, kOptimal);
    EXPECT_NEAR(warm.objective, cold.objective, 1e-5) << round;
    if (can().duals) {
      EXPECT_NEAR(certified_bound(session->program(), warm.row_duals), cold.objective, 1e-5) << round;
    }
  }
}

TEST_P(BackEnd, SessionsRecoverFromInfeasibleBounds) {
  const auto session = solver_->open_session(small_linear());
  const VariableId x{0}, y{1};
  session->set_variable_bounds(x, 3, 3);
  session->set_variable_bounds(y, 2, 3);
  const SolveResult infeasible = session->solve({});
  ASSERT_STATUS(infeasible, kInfeasible);
  if (can().farkas_ray) {
    EXPECT_TRUE(proves_infeasible(session->program(), infeasible.farkas_ray));
  }
  session->set_variable_bounds(x, 0, 3);
  session->set_variable_bounds(y, 0, 3);
  EXPECT_NEAR(session->solve({}).objective, -4, 1e-6);
}

TEST_P(BackEnd, SolvesInSeveralThreadsAtOnce) {
  const Program program = small_linear(), hard = knapsack(15, 3);
  const double expected = can().integer ? solve(hard).objective : 0;
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const auto session = solver_->open_session(program);
      for (int round = 0; round < 10; ++round) {
        session->set_objective({{{VariableId{0}, -1.0}, {VariableId{1}, -2.0 - 0.01 * round}}}, 3);
        const bool linear = std::abs(session->solve({}).objective - (-4 - 0.03 * round)) < 1e-6;
        const bool integer = !can().integer || std::abs(solve(hard).objective - expected) < 1e-6;
        if (linear && integer) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 40);
}

TEST_P(BackEnd, UsesSeveralThreadsIfItSaysSo) {
  if (!can().integer) GTEST_SKIP() << "no integers";
  SolveRequest request;
  request.threads = 2;
  const Program program = knapsack(12, 2);
  if (!can().several_threads) return expect_refusal(program, request);
  const SolveResult two = solve(program, request);
  ASSERT_STATUS(two, kOptimal);
  request.threads = 1;
  EXPECT_NEAR(solve(program, request).objective, two.objective, 1e-6);
}

TEST_P(BackEnd, PrintsNothing) {
  ::testing::internal::CaptureStdout();
  solve(small_linear());
  if (can().integer) solve(knapsack(12, 2));
  if (can().integer_quadratic) {
    std::mt19937_64 random(4);
    solve(random_program({.continuous = 2, .binaries = 3, .rows = 3, .squares = true}, random));
  }
  std::fflush(stdout);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST_P(BackEnd, SolvesInAProcessOfItsOwn) {
  const auto isolated = make_solver(GetParam(), {.isolated = true});
  const SolveResult result = isolated->solve(small_linear(), {});
  ASSERT_STATUS(result, kOptimal);
  EXPECT_NEAR(result.objective, -4, 1e-6);
  if (!can().integer) return;
  const Program program = knapsack(12, 2);
  EXPECT_NEAR(isolated->solve(program, {}).objective, solve(program).objective, 1e-6);
}

std::vector<std::string> available() {
  std::vector<std::string> names;
  for (const SolverInfo& info : list_solvers()) {
    if (info.available()) names.push_back(info.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, BackEnd, ::testing::ValuesIn(available()), [](const auto& name) { return name.param; });

TEST(Solvers, AreListedWithTheReasonWhereOneIsMissing) {
  for (const SolverInfo& info : list_solvers()) {
    EXPECT_FALSE(info.name.empty() || info.title.empty() || info.licence.empty()) << info.name;
    EXPECT_TRUE(info.available() ? !info.version.empty() : !info.unavailable.empty()) << info.name;
  }
}

TEST(Solvers, ThatAreNotAvailableThrowTheReason) {
  for (const SolverInfo& info : list_solvers()) {
    if (info.available()) continue;
    try {
      make_solver(info.name);
      ADD_FAILURE() << info.name;
    } catch (const UnavailableError& error) {
      EXPECT_EQ(error.problem(), info.unavailable);
      EXPECT_EQ(error.exit_code(), 69);
    }
  }
}

TEST(Solvers, IncludeTheDefaultOnes) {
  EXPECT_TRUE(make_solver(kDefaultSolver)->info().can.integer);
  EXPECT_TRUE(make_solver(kDefaultQuadraticSolver)->info().can.integer_quadratic);
}

TEST(Solvers, ForQuadraticsAgreeOnLargerPrograms) {
  std::vector<std::unique_ptr<const Solver>> solvers;
  for (const SolverInfo& info : list_solvers()) {
    if (info.available() && info.can.integer_quadratic) solvers.push_back(make_solver(info.name));
  }
  std::mt19937_64 random(12);
  for (int trial = 0; trial < 8; ++trial) {
    const Program program = random_program({.continuous = 12, .binaries = 8, .rows = 8, .squares = true}, random);
    const SolveResult first = solvers[0]->solve(program, {});
    for (std::size_t k = 1; k < solvers.size(); ++k) {
      const SolveResult other = solvers[k]->solve(program, {});
      ASSERT_EQ(name_of(other.status), std::string(name_of(first.status))) << solvers[k]->info().name;
      if (first.has_point()) {
        EXPECT_NEAR(other.objective, first.objective, 1e-4 * (1 + std::abs(first.objective)));
      }
    }
  }
}

TEST(Solvers, ForLinearObjectivesAgreeOnLargerPrograms) {
  std::vector<std::unique_ptr<const Solver>> solvers;
  for (const SolverInfo& info : list_solvers()) {
    if (info.available() && info.can.integer) solvers.push_back(make_solver(info.name));
  }
  std::mt19937_64 random(13);
  for (int trial = 0; trial < 25; ++trial) {
    const Program program = random_program({.continuous = 10, .binaries = 10, .rows = 12}, random);
    const SolveResult first = solvers[0]->solve(program, {});
    for (const auto& solver : solvers) {
      const SolveResult other = solver->solve(program, {});
      ASSERT_EQ(name_of(other.status), std::string(name_of(first.status))) << solver->info().name << other.message;
      if (first.has_point()) {
        EXPECT_NEAR(other.objective, first.objective, 1e-5 * (1 + std::abs(first.objective)));
      }
    }
  }
}

TEST(Solvers, ThatDoNotExistAreUsageErrors) { EXPECT_THROW(make_solver("nonesuch"), UsageError); }

}  // namespace
}  // namespace plumb
