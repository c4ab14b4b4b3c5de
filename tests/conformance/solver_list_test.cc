// The list of solvers, and a check that the listed solvers agree with each other.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "conformance/back_end.h"

namespace plumb {
namespace {

using testing::BackEnd;
using testing::random_program;

std::vector<std::string> available() {
  std::vector<std::string> names;
  for (const program::SolverInfo& info : solvers::list_solvers()) {
    if (info.available()) names.push_back(info.name);
  }
  return names;
}

// Instantiates the tests in all files of the suite.
INSTANTIATE_TEST_SUITE_P(All, BackEnd, ::testing::ValuesIn(available()), [](const auto& name) { return name.param; });

TEST(Solvers, AreListedWithTheReasonWhereOneIsMissing) {
  for (const program::SolverInfo& info : solvers::list_solvers()) {
    EXPECT_FALSE(info.name.empty() || info.title.empty() || info.licence.empty()) << info.name;
    EXPECT_TRUE(info.available() ? !info.version.empty() : !info.unavailable.empty()) << info.name;
  }
}

TEST(Solvers, ThatAreNotAvailableThrowTheReason) {
  for (const program::SolverInfo& info : solvers::list_solvers()) {
    if (info.available()) continue;
    try {
      solvers::make_solver(info.name);
      ADD_FAILURE() << info.name;
    } catch (const UnavailableError& error) {
      EXPECT_EQ(error.problem(), info.unavailable);
      EXPECT_EQ(error.kind(), ErrorKind::kUnavailable);
    }
  }
}

TEST(Solvers, IncludeTheDefaultOnes) {
  EXPECT_TRUE(solvers::make_solver(solvers::kDefaultSolver)->info().can.integer);
  EXPECT_TRUE(solvers::make_solver(solvers::kDefaultQuadraticSolver)->info().can.integer_quadratic);
}

TEST(Solvers, ForQuadraticsAgreeOnLargerPrograms) {
  std::vector<std::unique_ptr<const program::Solver>> solvers;
  for (const program::SolverInfo& info : solvers::list_solvers()) {
    if (info.available() && info.can.integer_quadratic) solvers.push_back(solvers::make_solver(info.name));
  }
  std::mt19937_64 random(12);
  for (int trial = 0; trial < 8; ++trial) {
    const program::Program program =
        random_program({.continuous = 12, .binaries = 8, .rows = 8, .squares = true}, random);
    const program::SolveResult first = solvers[0]->solve(program, {});
    for (std::size_t k = 1; k < solvers.size(); ++k) {
      const program::SolveResult other = solvers[k]->solve(program, {});
      ASSERT_EQ(name_of(other.status), std::string(name_of(first.status))) << solvers[k]->info().name;
      if (first.has_point()) {
        EXPECT_NEAR(other.objective, first.objective, 1e-4 * (1 + std::abs(first.objective)));
      }
    }
  }
}

TEST(Solvers, ForLinearObjectivesAgreeOnLargerPrograms) {
  std::vector<std::unique_ptr<const program::Solver>> solvers;
  for (const program::SolverInfo& info : solvers::list_solvers()) {
    if (info.available() && info.can.integer) solvers.push_back(solvers::make_solver(info.name));
  }
  std::mt19937_64 random(13);
  for (int trial = 0; trial < 25; ++trial) {
    const program::Program program = random_program({.continuous = 10, .binaries = 10, .rows = 12}, random);
    const program::SolveResult first = solvers[0]->solve(program, {});
    for (const auto& solver : solvers) {
      const program::SolveResult other = solver->solve(program, {});
      ASSERT_EQ(name_of(other.status), std::string(name_of(first.status))) << solver->info().name << other.message;
      if (first.has_point()) {
        EXPECT_NEAR(other.objective, first.objective, 1e-5 * (1 + std::abs(first.objective)));
      }
    }
  }
}

TEST(Solvers, ThatDoNotExistAreArgumentErrors) { EXPECT_THROW(solvers::make_solver("nonesuch"), ArgumentError); }

}  // namespace
}  // namespace plumb
