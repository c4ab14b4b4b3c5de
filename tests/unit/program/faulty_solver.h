// faulty_solver.h: a solver that knows the answers to two programs and distorts them as the test demands.
#pragma once

#include <functional>

#include "base/numbers.h"
#include "conformance/programs.h"
#include "program/solver.h"

namespace plumb::testing {

// minimise -2x - 3y over 2x + 2y <= 3, binary: optimum -3 at (0, 1).
inline program::Program small_integer() {
  program::Program program;
  const program::VariableId x = program.add_binary("x"), y = program.add_binary("y");
  program.add_row(-kInfinity, {{x, 2}, {y, 2}}, 3);
  program.set_objective({{x, -2}, {y, -3}});
  return program;
}

// x + y >= 3 with 0 <= x, y <= 1.
inline program::Program small_infeasible() {
  program::Program program;
  const program::VariableId x = program.add_variable(0, 1), y = program.add_variable(0, 1);
  program.add_row(3, {{x, 1}, {y, 1}}, kInfinity);
  return program;
}

// The right answers.
inline program::SolveResult linear_answer() {
  program::SolveResult result;
  result.status = program::SolveStatus::kOptimal;
  result.point = {1, 3};
  result.objective = result.best_bound = -4;
  // -1 = y_1, -2 = y_1 + d_y: the first row and the upper bound of y are tight.
  result.row_duals = {-1, 0};
  result.reduced_costs = {0, -1};
  return result;
}
inline program::SolveResult integer_answer() {
  program::SolveResult result;
  result.status = program::SolveStatus::kOptimal;
  result.point = {0, 1};
  result.objective = result.best_bound = -3;
  return result;
}
inline program::SolveResult infeasible_answer() {
  program::SolveResult result;
  result.status = program::SolveStatus::kInfeasible;
  result.farkas_ray = {1};
  result.best_bound = kInfinity;
  return result;
}

class FaultySolver : public program::Solver {
 public:
  using Fault = std::function<void(program::SolveResult&)>;

  explicit FaultySolver(
      program::SolveResult answer, Fault fault = [](program::SolveResult&) {})
      : answer_(std::move(answer)), fault_(std::move(fault)) {
    info_.name = "faulty";
    info_.title = "Faulty";
    info_.can.integer = info_.can.quadratic = info_.can.duals = info_.can.confirm = true;
    info_.can.cutoff = info_.can.stop_at_bound = info_.can.node_limit = info_.can.farkas_ray = true;
  }

  const program::SolverInfo& info() const override { return info_; }
  program::SolveResult solve(const program::Program&, const program::SolveRequest& request) const override {
    if (request.confirm && request.confirm(answer_.point) == program::Confirmation::kAccept) {
      program::SolveResult accepted = answer_;
      accepted.status = program::SolveStatus::kSolutionAccepted;
      fault_(accepted);
      return accepted;
    }
    program::SolveResult result = answer_;
    fault_(result);
    return result;
  }

  program::SolverInfo info_;

 private:
  program::SolveResult answer_;
  Fault fault_;
};

}  // namespace plumb::testing
