#include "program/solver.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumb::program {
namespace {

// Solves from scratch each time.
class ResolvingSession : public LpSession {
 public:
  ResolvingSession(const Solver& solver, const Program& program) : LpSession(program), solver_(solver) {}

  SolveResult solve(const SolveRequest& request) override { return solver_.solve(program(), request); }

 private:
  const Solver& solver_;
};

}  // namespace

const char* name_of(SolveStatus status) {
  switch (status) {
    case SolveStatus::kOptimal:
      return "optimal";
    case SolveStatus::kInfeasible:
      return "infeasible";
    case SolveStatus::kUnbounded:
      return "unbounded";
    case SolveStatus::kCutOff:
      return "cut off";
    case SolveStatus::kBoundPassed:
      return "bound passed";
    case SolveStatus::kSolutionAccepted:
      return "solution accepted";
    case SolveStatus::kTimeLimit:
      return "time limit";
    case SolveStatus::kWorkLimit:
      return "work limit";
    case SolveStatus::kCancelled:
      return "cancelled";
    case SolveStatus::kFailed:
      return "failed";
  }
  throw InternalError("solve status", "no such value");
}

SolveResult failed(std::string message) {
  SolveResult result;
  result.message = std::move(message);
  return result;
}

void LpSession::set_objective(std::span<const Term> terms, double offset) {
  program_.set_objective(terms, offset);
  objective_changed();
}

void LpSession::set_variable_bounds(VariableId variable, double lower, double upper) {
  program_.set_bounds(variable, lower, upper);
  bounds_changed(variable);
}

std::unique_ptr<LpSession> Solver::open_session(const Program& program) const {
  return std::make_unique<ResolvingSession>(*this, program);
}

std::optional<std::string> refusal(const SolverInfo& info, const Program& program, const SolveRequest& request) {
  if (!info.available()) return fmt::format("{} is not available: {}", info.name, info.unavailable);
  const Capabilities& can = info.can;
  const auto cannot = [&](const char* what) { return fmt::format("{} cannot {}", info.name, what); };
  if (program.is_integer() && program.is_quadratic()) {
    if (!can.integer_quadratic) {
      return cannot("solve programs that have both integer variables and a quadratic objective");
    }
  } else if (program.is_integer() && !can.integer) {
    return cannot("solve programs with integer variables and a linear objective");
  } else if (program.is_quadratic() && !can.quadratic) {
    return cannot("solve programs with a quadratic objective");
  }
  if (request.cutoff && !can.cutoff) return cannot("take an objective cut-off");
  if (request.stop_at_bound && !can.stop_at_bound) return cannot("stop at a bound");
  if (request.confirm && !can.confirm) return cannot("have solutions confirmed while it runs");
  if (request.node_limit && program.is_integer() && !can.node_limit) return cannot("limit nodes");
  if (request.iteration_limit && !program.is_integer() && !can.iteration_limit) {
    return cannot("limit simplex iterations");
  }
  if (request.threads > 1 && !can.several_threads) return cannot("use more than one thread");
  return std::nullopt;
}

}  // namespace plumb::program
