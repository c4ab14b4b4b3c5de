// faulty_solver.h: a solver that knows the answer to two programs, and distorts it as it is told to.
#pragma once

#include <functional>

#include "conformance/programs.h"
#include "program/solver.h"

namespace plumb::testing {

// minimise -2x - 3y over 2x + 2y <= 3, binary: optimum -3 at (0, 1).
inline Program small_integer() {
  Program program;
  const VariableId x = program.add_binary("x"), y = program.add_binary("y");
  program.add_row(-kInfinity, {{x, 2}, {y, 2}}, 3);
  program.set_objective({{x, -2}, {y, -3}});
  return program;
}

// x + y >= 3 with 0 <= x, y <= 1.
inline Program small_infeasible() {
  Program program;
  const VariableId x = program.add_variable(0, 1), y = program.add_variable(0, 1);
  program.add_row(3, {{x, 1}, {y, 1}}, kInfinity);
  return program;
}

// The right answers.
inline SolveResult linear_answer() {
  SolveResult result;
  result.status = SolveStatus::kOptimal;
  result.point = {1, 3};
  result.objective = result.best_bound = -4;
  // -1 = y_1, -2 = y_1 + d_y: the first row and the upper bound of y are tight.
  result.row_duals = {-1, 0};
  result.reduced_costs = {0, -1};
  return result;
}
inline SolveResult integer_answer() {
  SolveResult result;
  result.status = SolveStatus::kOptimal;
  result.point = {0, 1};
  result.objective = result.best_bound = -3;
  return result;
}
inline SolveResult infeasible_answer() {
  SolveResult result;
  result.status = SolveStatus::kInfeasible;
  result.farkas_ray = {1};
  result.best_bound = kInfinity;
  return result;
}

class FaultySolver : public Solver {
 public:
  using Fault = std::function<void(SolveResult&)>;

  explicit FaultySolver(
      SolveResult answer, Fault fault = [](SolveResult&) {})
      : answer_(std::move(answer)), fault_(std::move(fault)) {
    info_.name = "faulty";
    info_.title = "Faulty";
    info_.can.integer = info_.can.quadratic = info_.can.duals = info_.can.confirm = true;
    info_.can.cutoff = info_.can.stop_at_bound = info_.can.node_limit = info_.can.farkas_ray = true;
  }

  const SolverInfo& info() const override { return info_; }
  SolveResult solve(const Program&, const SolveRequest& request) const override {
    if (request.confirm && request.confirm(answer_.point) == Confirmation::kAccept) {
      SolveResult accepted = answer_;
      accepted.status = SolveStatus::kSolutionAccepted;
      fault_(accepted);
      return accepted;
    }
    SolveResult result = answer_;
    fault_(result);
    return result;
  }

  SolverInfo info_;

 private:
  SolveResult answer_;
  Fault fault_;
};

}  // namespace plumb::testing
