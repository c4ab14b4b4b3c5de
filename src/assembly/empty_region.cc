#include "assembly/empty_region.h"

#include <algorithm>

#include "base/numbers.h"
#include "program/certified_bound.h"
#include "solvers/solvers.h"

namespace plumb::assembly {
namespace {

constexpr double kMostSeconds = 10;

bool is_infeasible(const property::Polytope& polytope, const Budget& budget) {
  program::Program program;
  std::vector<program::VariableId> variables;
  for (std::size_t i = 0; i < polytope.box.size(); ++i) {
    variables.push_back(program.add_variable(polytope.box.lower[i], polytope.box.upper[i]));
  }
  for (const property::LinearInequality& inequality : polytope.inequalities) {
    std::vector<program::Term> terms;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (inequality.coefficients[i] != 0) terms.push_back({variables[i], inequality.coefficients[i]});
    }
    program.add_row(-kInfinity, terms, inequality.bound);
  }
  program::SolveRequest request;
  request.time_limit = std::min(kMostSeconds, budget.seconds_left());
  request.cancel = budget.cancel();
  const program::SolveResult result = solvers::make_solver(solvers::kDefaultSolver)->solve(program, request);
  return result.status == program::SolveStatus::kInfeasible && proves_infeasible(program, result.farkas_ray);
}

bool is_certainly_empty(const property::Polytope& polytope, const Budget& budget) {
  if (polytope.inequalities.empty()) return false;
  const std::vector<double> zeros(polytope.box.size(), 0.0);
  if (minimum(polytope, zeros) == kInfinity) return true;
  // Most families contain the unchanged sample, whose parameters are zeros.
  if (contains(property::Region(polytope), project(polytope, zeros))) return false;
  return budget.reached() == LimitReached::kNone && is_infeasible(polytope, budget);
}

}  // namespace

bool is_certainly_empty(const property::Region& region, const Limits& limits) {
  const Budget budget(limits);
  return std::ranges::all_of(region.parts(), [&](const property::SimpleRegion& part) {
    if (const auto* polytope = std::get_if<property::Polytope>(&part)) return is_certainly_empty(*polytope, budget);
    const auto* image = std::get_if<property::AffineImage>(&part);
    return image != nullptr && is_certainly_empty(property::Polytope{image->parameters, image->inequalities}, budget);
  });
}

verdict::Decide aware_of_emptiness(verdict::Decide decide, bool audit) {
  return [decide = std::move(decide), audit](const property::Query& query, const Limits& limits) {
    const Budget budget(limits);
    const bool is_empty = is_certainly_empty(query.region, limits);
    Limits left = limits;
    left.seconds = budget.seconds_left();
    if (!is_empty) return decide(query, left);
    verdict::Verdict empty = verdict::holds(kEmptyRegion, kInfinity);
    if (audit) {
      verdict::Verdict decided = decide(query, left);
      if (decided.answer != verdict::Answer::kHolds) return decided;  // only a confirmed `holds` is reported as one
      empty.statistics = std::move(decided.statistics);
    }
    return empty;
  };
}

}  // namespace plumb::assembly
