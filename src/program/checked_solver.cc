#include "program/checked_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "program/certified_bound.h"
#include "program/reduced_costs.h"

namespace plumb::program {
namespace {

using Problem = std::optional<std::string>;

// Solvers apply their tolerances to the scaled and presolved program. Their points may violate the original one by this
// factor more.
constexpr double kSlack = 10;
// The tolerance of objectives and duals, relative to the magnitude of the terms that they are sums of.
constexpr double kRelativeTolerance = 1e-5;

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

Problem point_problem(const Program& program, const SolveRequest& request, std::span<const double> x) {
  if (std::ssize(x) != program.variables()) return fmt::format("the point has {} values", x.size());
  if (!all_finite(x)) return "the point has a value that is not finite";
  for (std::int32_t j = 0; j < program.variables(); ++j) {
    const VariableId id{j};
    const double value = x[static_cast<std::size_t>(j)];
    const double outside = std::max(program.lower(id) - value, value - program.upper(id));
    if (outside > kSlack * request.feasibility_tolerance * std::max(1.0, std::abs(value))) {
      return fmt::format("the point is outside the bounds of '{}' by {:.3g}", program.name(id), outside);
    }
    if (program.integrality(id) == Integrality::kContinuous) continue;
    if (std::abs(value - std::round(value)) > kSlack * request.integrality_tolerance) {
      return fmt::format("the integer variable '{}' has the value {}", program.name(id), value);
    }
  }
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const Program::Row row = program.row(RowId{i});
    SumWithMagnitude activity;
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      activity.add(row.coefficients[k] * x[static_cast<std::size_t>(row.columns[k])]);
    }
    const double outside = std::max(program.lower(RowId{i}) - activity.value, activity.value - program.upper(RowId{i}));
    if (outside > kSlack * request.feasibility_tolerance * activity.magnitude) {
      return fmt::format("the point violates row '{}' by {:.3g}", program.name(RowId{i}), outside);
    }
  }
  return std::nullopt;
}

SumWithMagnitude objective_of(const Program& program, std::span<const double> x) {
  SumWithMagnitude sum;
  sum.add(program.offset());
  for (std::size_t j = 0; j < x.size(); ++j) {
    sum.add(program.costs()[j] * x[j]);
    sum.add(program.quadratics()[j] * x[j] * x[j]);
  }
  return sum;
}

Problem objective_problem(const Program& program, const SolveRequest& request, const SolveResult& result) {
  const SumWithMagnitude objective = objective_of(program, result.point);
  const double tolerance = kRelativeTolerance * objective.magnitude;
  if (!(std::abs(objective.value - result.objective) <= tolerance)) {
    return fmt::format("the objective is claimed to be {}, but is {} at the point", result.objective, objective.value);
  }
  if (result.best_bound > objective.value + tolerance) {
    return fmt::format("the bound {} is above the point's objective {}", result.best_bound, objective.value);
  }
  if (result.status != SolveStatus::kOptimal) return std::nullopt;
  const double gap = std::max(request.absolute_gap, request.relative_gap * std::abs(objective.value));
  if (result.best_bound < objective.value - gap - tolerance) {
    return fmt::format("claimed to be optimal with the objective {}, but the bound is {}", objective.value,
                       result.best_bound);
  }
  if (request.cutoff && objective.value > *request.cutoff + tolerance) {
    return fmt::format("the objective {} is above the cut-off {}", objective.value, *request.cutoff);
  }
  return std::nullopt;
}

// Checks that the request makes the status possible, and that the result has what the status requires.
Problem status_problem(const SolveRequest& request, const SolveResult& result) {
  const auto unasked = [&] { return fmt::format("'{}' was not requested", name_of(result.status)); };
  switch (result.status) {
    case SolveStatus::kOptimal:
      if (!result.has_point()) return "claimed to be optimal, but there is no point";
      break;
    case SolveStatus::kInfeasible:
    case SolveStatus::kCutOff:
      if (result.status == SolveStatus::kCutOff && !request.cutoff) return unasked();
      if (result.has_point()) return fmt::format("claimed to be {}, but there is a point", name_of(result.status));
      break;
    case SolveStatus::kBoundPassed:
      if (!request.stop_at_bound) return unasked();
      if (result.best_bound < *request.stop_at_bound) {
        return fmt::format("the bound {} has not passed {}", result.best_bound, *request.stop_at_bound);
      }
      break;
    case SolveStatus::kSolutionAccepted:
      if (!request.confirm) return unasked();
      if (!result.has_point()) return "a solution is claimed to be accepted, but there is none";
      break;
    case SolveStatus::kTimeLimit:
      if (request.time_limit == kInfinity) return unasked();
      break;
    case SolveStatus::kWorkLimit:
      if (!request.node_limit && !request.iteration_limit) return unasked();
      break;
    case SolveStatus::kCancelled:
      if (request.cancel == nullptr || !*request.cancel) return unasked();
      break;
    case SolveStatus::kUnbounded:
    case SolveStatus::kFailed:
      break;
  }
  return std::nullopt;
}

// The dual objective in plain arithmetic. An infinite side costs nothing if its multiplier is small. If the multiplier
// is not small, it has the wrong sign for its sides, and the result is -infinity.
SumWithMagnitude dual_objective(const Program& program, std::span<const double> y,
                                const std::vector<SumWithMagnitude>& reduced) {
  SumWithMagnitude sum;
  const auto add = [&](double multiplier, double size, double lower, double upper) {
    const double side = multiplier > 0 ? lower : upper;
    if (std::isfinite(side)) {
      sum.add(multiplier * side);
    } else if (std::abs(multiplier) > kRelativeTolerance * size) {
      sum.value = -kInfinity;
    }
  };
  for (std::size_t i = 0; i < y.size(); ++i) add(y[i], 1, program.row_lowers()[i], program.row_uppers()[i]);
  for (std::size_t j = 0; j < reduced.size(); ++j) {
    add(reduced[j].value, reduced[j].magnitude, program.lowers()[j], program.uppers()[j]);
  }
  return sum;
}

Problem dual_problem(const Program& program, const SolveResult& result) {
  const std::span<const double> y = result.row_duals, x = result.point;
  if (std::ssize(y) != program.rows()) return fmt::format("there are {} row duals", y.size());
  // The quadratic objective is replaced by its tangent at x: q t^2 >= 2 q x t - q x^2, with equality at x.
  std::vector<double> costs(program.costs().begin(), program.costs().end());
  double offset = program.offset();
  for (std::size_t j = 0; j < costs.size(); ++j) {
    costs[j] += 2 * program.quadratics()[j] * x[j];
    offset -= program.quadratics()[j] * x[j] * x[j];
  }
  const std::vector<SumWithMagnitude> reduced = reduced_costs(program, costs, y);
  for (std::size_t j = 0; j < result.reduced_costs.size(); ++j) {
    if (std::abs(result.reduced_costs[j] - reduced[j].value) > kRelativeTolerance * reduced[j].magnitude) {
      return fmt::format("the reduced cost of '{}' is claimed to be {}, but is {} by the row duals",
                         program.name(VariableId{static_cast<std::int32_t>(j)}), result.reduced_costs[j],
                         reduced[j].value);
    }
  }
  SumWithMagnitude dual = dual_objective(program, y, reduced);
  dual.add(offset);
  const SumWithMagnitude primal = objective_of(program, x);
  if (std::abs(dual.value - primal.value) > kRelativeTolerance * (dual.magnitude + primal.magnitude)) {
    return fmt::format("the objective is {}, but the duals prove {}", primal.value, dual.value);
  }
  return std::nullopt;
}

Problem ray_problem(const Program& program, std::span<const double> ray) {
  if (std::ssize(ray) != program.rows()) return fmt::format("the Farkas ray has {} values", ray.size());
  if (proves_infeasible(program, ray)) return std::nullopt;
  // Where variables are unbounded, rounding may spoil the proof. A ray that is correct apart from that is accepted.
  const std::vector<double> none(static_cast<std::size_t>(program.variables()));
  if (dual_objective(program, ray, reduced_costs(program, none, ray)).value > 0) return std::nullopt;
  return "the Farkas ray does not show that the program is infeasible";
}

Problem size_problem(const Program& program, const SolveResult& result) {
  const auto is_wrong = [](const std::vector<double>& values, std::int32_t size) {
    return !values.empty() && std::ssize(values) != size;
  };
  if (is_wrong(result.reduced_costs, program.variables())) return "the number of reduced costs is wrong";
  if (is_wrong(result.row_duals, program.rows())) return "the number of row duals is wrong";
  if (!all_finite(result.row_duals) || !all_finite(result.reduced_costs)) return "a dual is not finite";
  if (!all_finite(result.farkas_ray)) return "the Farkas ray is not finite";
  if (std::isnan(result.best_bound)) return "the bound is not a number";
  if (result.nodes < 0 || result.simplex_iterations < 0) return "a count is negative";
  return std::nullopt;
}

// Returns the result of an LpSession or a Solver, or kFailed if one of its claims is false.
SolveResult believed(const SolverInfo& info, const Program& program, const SolveRequest& request, SolveResult result) {
  if (result.status == SolveStatus::kFailed) return failed(std::move(result.message));
  const Problem problem = false_claim(program, request, result);
  if (!problem) return result;
  return failed(fmt::format("{} answered '{}', but {}", info.name, name_of(result.status), *problem));
}

// Coefficients that the solver takes for zero must not change a row by more than the feasibility tolerance.
Problem range_problem(const SolverInfo& info, const Program& program, const SolveRequest& request) {
  if (info.ignored_coefficient == 0) return std::nullopt;
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const Program::Row row = program.row(RowId{i});
    double ignored = 0;
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const double a = std::abs(row.coefficients[k]);
      if (a > info.ignored_coefficient) continue;
      const VariableId id{row.columns[k]};
      ignored += a * std::max(std::abs(program.lower(id)), std::abs(program.upper(id)));
    }
    if (ignored > request.feasibility_tolerance) {
      return fmt::format("{} treats coefficients up to {} as zero, which changes row '{}' by up to {:.3g}", info.name,
                         info.ignored_coefficient, program.name(RowId{i}), ignored);
    }
  }
  return std::nullopt;
}

void check_request(const Program& program, const SolveRequest& request) {
  const auto refuse = [](const char* what) { throw InternalError("solve request", what); };
  if (!(request.time_limit >= 0)) refuse("the time limit is negative or not a number");
  if (request.node_limit && *request.node_limit < 0) refuse("the node limit is negative");
  if (request.iteration_limit && *request.iteration_limit < 0) refuse("the iteration limit is negative");
  if (request.threads < 1) refuse("there must be at least one thread");
  if (!(request.relative_gap >= 0) || !(request.absolute_gap >= 0)) refuse("a gap is negative or not a number");
  if (!(request.feasibility_tolerance > 0) || !(request.integrality_tolerance > 0))
    refuse("a tolerance is not positive");
  if (request.cutoff && !std::isfinite(*request.cutoff)) refuse("the cut-off is not finite");
  if (request.stop_at_bound && !std::isfinite(*request.stop_at_bound)) refuse("the bound to stop at is not finite");
  if (!request.start.empty() && std::ssize(request.start) != program.variables()) {
    refuse("the number of start values is wrong");
  }
}

class CheckedSession : public LpSession {
 public:
  CheckedSession(const SolverInfo& info, const Program& program, std::unique_ptr<LpSession> inner)
      : LpSession(program), info_(info), inner_(std::move(inner)) {}

  SolveResult solve(const SolveRequest& request) override {
    check_request(program(), request);
    return believed(info_, program(), request, inner_->solve(request));
  }

 private:
  void objective_changed() override {
    std::vector<Term> terms;
    for (std::int32_t j = 0; j < program().variables(); ++j) {
      const double cost = program().cost(VariableId{j});
      if (cost != 0) terms.push_back({VariableId{j}, cost});
    }
    inner_->set_objective(terms, program().offset());
  }
  void bounds_changed(VariableId variable) override {
    inner_->set_variable_bounds(variable, program().lower(variable), program().upper(variable));
  }

  const SolverInfo& info_;
  std::unique_ptr<LpSession> inner_;
};

}  // namespace

std::optional<std::string> false_claim(const Program& program, const SolveRequest& request, const SolveResult& result) {
  if (Problem problem = status_problem(request, result)) return problem;
  if (Problem problem = size_problem(program, result)) return problem;
  if (result.has_point()) {
    if (Problem problem = point_problem(program, request, result.point)) return problem;
    if (Problem problem = objective_problem(program, request, result)) return problem;
  }
  const bool has_duals = !result.row_duals.empty() || !result.reduced_costs.empty();
  if (result.status == SolveStatus::kOptimal && !program.is_integer() && has_duals) {
    if (Problem problem = dual_problem(program, result)) return problem;
  }
  if (result.farkas_ray.empty()) return std::nullopt;
  if (result.status != SolveStatus::kInfeasible) return "there is a Farkas ray";
  return ray_problem(program, result.farkas_ray);
}

SolveResult CheckedSolver::solve(const Program& program, const SolveRequest& request) const {
  check_request(program, request);
  if (const Problem problem = refusal(info(), program, request)) return failed(*problem);
  if (const Problem problem = range_problem(info(), program, request)) return failed(*problem);
  SolveRequest asked = request;
  if (request.confirm) {
    // Only feasible points are passed on to confirm().
    asked.confirm = [&](std::span<const double> point) {
      return point_problem(program, request, point) ? Confirmation::kKeepGoing : request.confirm(point);
    };
  }
  return believed(info(), program, request, inner_->solve(program, asked));
}

std::unique_ptr<LpSession> CheckedSolver::open_session(const Program& program) const {
  return std::make_unique<CheckedSession>(info(), program, inner_->open_session(program));
}

}  // namespace plumb::program
