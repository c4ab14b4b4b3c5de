// Repeated solves: in sessions, on several threads, in processes of their own. No solver may print anything.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <thread>

#include "base/numbers.h"
#include "conformance/back_end.h"
#include "program/certified_bound.h"
#include "program/checked_solver.h"
#include "program/priced_session.h"

namespace plumb {
namespace {

using testing::BackEnd;
using testing::knapsack;
using testing::market_split;
using testing::random_program;
using testing::small_linear;

TEST_P(BackEnd, SessionsFollowChangesOfObjectiveAndBounds) {
  std::mt19937_64 random(10);
  const program::Program program = market_split(6, 20, 3).relaxation();
  const auto session = solver_->open_session(program);
  std::uniform_real_distribution<double> cost(-1, 1);
  for (int round = 0; round < 40; ++round) {
    if (round % 3 == 2) {
      const program::VariableId fixed{static_cast<std::int32_t>(random() % 20)};
      const double value = random() % 2 ? 1.0 : 0.0;
      session->set_variable_bounds(fixed, value, random() % 2 ? value : 1.0);
    } else {
      std::vector<program::Term> costs;
      for (std::int32_t j = 0; j < 20; ++j) costs.push_back({program::VariableId{j}, cost(random)});
      for (std::int32_t j = 20; j < program.variables(); ++j) costs.push_back({program::VariableId{j}, 1});
      session->set_objective(costs, cost(random));
    }
    const program::SolveResult warm = session->solve({});
    const program::SolveResult cold = solve(session->program());
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
  const program::VariableId x{0}, y{1};
  session->set_variable_bounds(x, 3, 3);
  session->set_variable_bounds(y, 2, 3);
  const program::SolveResult infeasible = session->solve({});
  ASSERT_STATUS(infeasible, kInfeasible);
  if (can().farkas_ray) {
    EXPECT_TRUE(proves_infeasible(session->program(), infeasible.farkas_ray));
  }
  session->set_variable_bounds(x, 0, 3);
  session->set_variable_bounds(y, 0, 3);
  EXPECT_NEAR(session->solve({}).objective, -4, 1e-6);
}

// Units over an l1 ball: z_k = r_k - n_k = a_k.(up - down), where the sum of all ups and downs is at most the radius.
struct UnitsOverABall {
  UnitsOverABall(int coordinates, int units, std::mt19937_64& random) {
    std::uniform_real_distribution<double> weight(-1, 1);
    std::vector<program::Term> sum;
    for (int i = 0; i < 2 * coordinates; ++i) {
      moves.push_back(program.add_variable(0, random() % 4 == 0 ? 0.1 : 1));
      sum.push_back({moves.back(), 1});
    }
    program.add_row(-kInfinity, sum, 1);
    std::vector<program::Term> costs;
    for (int k = 0; k < units; ++k) {
      parts.push_back(program.add_variable(0, 2));
      parts.push_back(program.add_variable(0, 2));
      std::vector<program::Term> terms{{parts[parts.size() - 2], -1}, {parts.back(), 1}};
      for (std::size_t i = 0; i < moves.size(); i += 2) {
        const double a = weight(random);
        terms.insert(terms.end(), {{moves[i], a}, {moves[i + 1], -a}});
      }
      const double constant = 1.2 * weight(random);
      program.add_row(constant, terms, constant);
      costs.push_back({parts[parts.size() - 2], weight(random)});
    }
    program.set_objective(costs, weight(random));
  }

  program::Program program;
  std::vector<program::VariableId> moves, parts;
};

// Returns correct answers without duals or rays, as back ends occasionally do.
class WithoutReasons : public program::Solver {
 public:
  explicit WithoutReasons(const program::Solver& inner) : inner_(inner) {}
  const program::SolverInfo& info() const override { return inner_.info(); }
  program::SolveResult solve(const program::Program& program, const program::SolveRequest& request) const override {
    program::SolveResult result = inner_.solve(program, request);
    result.farkas_ray.clear();
    result.row_duals.clear();
    result.reduced_costs.clear();
    return result;
  }

 private:
  const program::Solver& inner_;
};

TEST_P(BackEnd, PricedSessionsNeedNoReasons) {
  std::mt19937_64 random(8);
  const WithoutReasons without(*solver_);
  const UnitsOverABall units(20, 3, random);
  for (const program::VariableId part : units.parts) {
    const auto priced = open_priced_session(without, units.program, units.moves);
    priced->set_variable_bounds(part, 0, 0);
    const program::SolveResult result = priced->solve({}), whole = solve(priced->program());
    EXPECT_EQ(name_of(result.status), std::string(name_of(whole.status))) << result.message << whole.message;
    if (result.has_point()) {
      EXPECT_NEAR(result.objective, whole.objective, 1e-6);
    }
  }
}

TEST_P(BackEnd, PricedSessionsMayHaveNothingElse) {
  program::Program program;
  const std::vector<program::VariableId> moves{program.add_variable(0, 1), program.add_variable(0, 1)};
  program.add_row(-kInfinity, {{moves[0], 1}, {moves[1], 1}}, 1.5);
  program.set_objective({{moves[0], -1}, {moves[1], -2}});
  const program::SolveResult result = open_priced_session(*solver_, program, moves)->solve({});
  ASSERT_STATUS(result, kOptimal);
  EXPECT_NEAR(result.objective, -2.5, 1e-6);
}

TEST_P(BackEnd, PricedSessionsClaimWhatWholeOnesDo) {
  std::mt19937_64 random(7);
  int optimal = 0, infeasible = 0;
  for (int round = 0; round < 6; ++round) {
    const UnitsOverABall units(40, 10, random);
    const auto priced = open_priced_session(*solver_, units.program, units.moves);
    for (int node = 0; node < 8; ++node) {
      // Each step fixes one part of a unit at zero or frees it again. At the end the objective changes to another
      // functional.
      const program::VariableId part = units.parts[random() % units.parts.size()];
      priced->set_variable_bounds(part, 0, random() % 4 == 0 ? 2 : 0);
      if (node == 6) priced->set_objective({{{units.parts[0], 1.0}, {units.moves[5], -0.25}}}, 1);
      if (node == 7) priced->set_variable_bounds(units.moves[5], 0, 0);
      const program::SolveResult result = priced->solve({}), whole = solve(priced->program());
      ASSERT_EQ(name_of(result.status), std::string(name_of(whole.status))) << result.message << whole.message;
      EXPECT_EQ(false_claim(priced->program(), {}, result), std::nullopt);
      if (result.status == program::SolveStatus::kInfeasible) {
        if (can().farkas_ray) {
          EXPECT_TRUE(proves_infeasible(priced->program(), result.farkas_ray));
        }
        ++infeasible;
        continue;
      }
      EXPECT_NEAR(result.objective, whole.objective, 1e-6);
      if (can().duals) {
        EXPECT_NEAR(certified_bound(priced->program(), result.row_duals), whole.objective, 1e-6);
      }
      ++optimal;
    }
  }
  EXPECT_GT(optimal, 20);
  EXPECT_GT(infeasible, 5);
}

TEST_P(BackEnd, SolvesInSeveralThreadsAtOnce) {
  const program::Program program = small_linear(), hard = knapsack(15, 3);
  const double expected = can().integer ? solve(hard).objective : 0;
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const auto session = solver_->open_session(program);
      for (int round = 0; round < 10; ++round) {
        session->set_objective({{{program::VariableId{0}, -1.0}, {program::VariableId{1}, -2.0 - 0.01 * round}}}, 3);
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
  if (!can().integer) return expect_refusal(knapsack(12, 2), {});
  program::SolveRequest request;
  request.threads = 2;
  const program::Program program = knapsack(12, 2);
  if (!can().several_threads) return expect_refusal(program, request);
  const program::SolveResult two = solve(program, request);
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
  const auto isolated = solvers::make_solver(GetParam(), {.isolated = true});
  const program::SolveResult result = isolated->solve(small_linear(), {});
  ASSERT_STATUS(result, kOptimal);
  EXPECT_NEAR(result.objective, -4, 1e-6);
  if (!can().integer) return;
  const program::Program program = knapsack(12, 2);
  EXPECT_NEAR(isolated->solve(program, {}).objective, solve(program).objective, 1e-6);
}

}  // namespace
}  // namespace plumb
