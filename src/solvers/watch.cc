#include "solvers/watch.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "program/certified_bound.h"

namespace plumb::solvers {

double Watch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double Watch::seconds_left() const { return std::max(0.0, request_.time_limit - seconds()); }

void Watch::show(std::span<const double> point) {
  best_ = std::min(best_, program_.objective(point));
  if (stopped_ || !request_.confirm || std::ranges::equal(point, shown_)) return;
  shown_.assign(point.begin(), point.end());
  try {
    if (request_.confirm(point) == program::Confirmation::kAccept) stopped_ = program::SolveStatus::kSolutionAccepted;
  } catch (...) {
    error_ = std::current_exception();
    stopped_ = program::SolveStatus::kFailed;
  }
}

void Watch::raise_bound(double bound) { bound_ = std::max(bound_, bound); }

bool Watch::must_stop() {
  if (stopped_) return true;
  if (request_.cancel != nullptr && *request_.cancel) {
    stopped_ = program::SolveStatus::kCancelled;
  } else if (request_.stop_at_bound && bound() >= *request_.stop_at_bound) {
    stopped_ = program::SolveStatus::kBoundPassed;
  } else if (request_.time_limit < kInfinity && seconds() >= request_.time_limit) {
    stopped_ = program::SolveStatus::kTimeLimit;
  }
  return stopped_.has_value();
}

program::SolveResult Watch::conclude(program::SolveResult claimed) {
  if (error_) std::rethrow_exception(error_);
  program::SolveResult result = std::move(claimed);
  // What a library claims after it was stopped is worth nothing (some versions of Cbc claim "infeasible").
  if (stopped_) result.status = *stopped_;
  if (result.status == program::SolveStatus::kFailed) return program::failed(std::move(result.message));
  result.best_bound = std::max(result.best_bound, bound());
  if (stopped_ == program::SolveStatus::kSolutionAccepted) {
    result.status = program::SolveStatus::kSolutionAccepted;
    result.point = shown_;
  }
  if (result.has_point()) result.objective = program_.objective(result.point);
  // Integer programs are solved with the cut-off, so "infeasible" refers to it. Linear ones are solved without.
  const bool is_above =
      result.status == program::SolveStatus::kOptimal && request_.cutoff && result.objective > *request_.cutoff;
  const bool is_empty = result.status == program::SolveStatus::kInfeasible && request_.cutoff && program_.is_integer();
  if (is_above || is_empty) result.status = program::SolveStatus::kCutOff;
  if (result.status == program::SolveStatus::kCutOff || result.status == program::SolveStatus::kInfeasible) {
    result.point.clear();
    result.objective = kInfinity;
    result.row_duals.clear();
    result.reduced_costs.clear();
    result.best_bound =
        result.status == program::SolveStatus::kInfeasible ? kInfinity : std::max(result.best_bound, *request_.cutoff);
  }
  if (result.status == program::SolveStatus::kUnbounded) {
    result.point.clear();
    result.objective = result.best_bound = -kInfinity;
  }
  if (result.status == program::SolveStatus::kOptimal && !program_.is_integer()) result.best_bound = result.objective;
  if (result.has_point()) {
    result.best_bound = std::min(result.best_bound, result.objective);
    show(result.point);
    if (error_) std::rethrow_exception(error_);
    if (stopped_ == program::SolveStatus::kSolutionAccepted) result.status = program::SolveStatus::kSolutionAccepted;
  }
  const bool has_passed = request_.stop_at_bound && result.best_bound >= *request_.stop_at_bound;
  if (result.status == program::SolveStatus::kOptimal && has_passed) result.status = program::SolveStatus::kBoundPassed;
  result.seconds = seconds();
  return result;
}

double loosened(double cutoff) { return cutoff + 1e-6 * std::max(1.0, std::abs(cutoff)); }

std::vector<double> elastic_ray(const program::Solver& solver, const program::Program& program,
                                const program::SolveRequest& request) {
  program::Program elastic;
  for (std::size_t j = 0; j < program.costs().size(); ++j) {
    elastic.add_variable(program.lowers()[j], program.uppers()[j]);
  }
  std::vector<program::Term> violations;
  for (std::int32_t i = 0; i < program.rows(); ++i) {
    const program::Program::Row row = program.row(program::RowId{i});
    std::vector<program::Term> terms;
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      terms.push_back({program::VariableId{row.columns[k]}, row.coefficients[k]});
    }
    for (const double sign : {1.0, -1.0}) {
      const program::VariableId violation = elastic.add_variable(0, kInfinity);
      terms.push_back({violation, sign});
      violations.push_back({violation, 1});
    }
    elastic.add_row(program.lower(program::RowId{i}), terms, program.upper(program::RowId{i}));
  }
  elastic.set_objective(violations);
  program::SolveRequest asked;
  asked.time_limit = request.time_limit;
  asked.feasibility_tolerance = request.feasibility_tolerance;
  asked.cancel = request.cancel;
  program::SolveResult result = solver.solve(elastic, asked);
  if (result.status != program::SolveStatus::kOptimal || result.row_duals.empty()) return {};
  return proves_infeasible(program, result.row_duals) ? std::move(result.row_duals) : std::vector<double>();
}

}  // namespace plumb::solvers
