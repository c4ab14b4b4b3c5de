// back_end.h: the fixture of the tests that every back end must pass.
//
// One suite, in files by subject, runs for every solver that is available here. A solver that declares that it cannot
// do something must fail with a message when asked for it: expect_refusal(). Nothing is skipped.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "conformance/programs.h"
#include "solvers/solvers.h"

namespace plumb::testing {

class BackEnd : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { solver_ = solvers::make_solver(GetParam()); }

  const program::Capabilities& can() const { return solver_->info().can; }
  program::SolveResult solve(const program::Program& program, const program::SolveRequest& request = {}) const {
    return solver_->solve(program, request);
  }
  // A request for something that the solver cannot do must fail with a message.
  void expect_refusal(const program::Program& program, const program::SolveRequest& request) const {
    const program::SolveResult result = solve(program, request);
    EXPECT_EQ(result.status, program::SolveStatus::kFailed);
    EXPECT_NE(result.message.find(solver_->info().name + " cannot"), std::string::npos) << result.message;
  }

  std::unique_ptr<const program::Solver> solver_;
};

}  // namespace plumb::testing

#define EXPECT_STATUS(result, expected) \
  EXPECT_EQ(name_of((result).status), std::string(name_of(program::SolveStatus::expected))) << (result).message
#define ASSERT_STATUS(result, expected) \
  ASSERT_EQ(name_of((result).status), std::string(name_of(program::SolveStatus::expected))) << (result).message
