#include "assembly/empty_region.h"

#include <algorithm>
#include <limits>

#include "program/certified_bound.h"
#include "solvers/solvers.h"

namespace plumb {
namespace {

constexpr double kMostSeconds = 10;

bool is_infeasible(const Polytope& polytope) {
  Program program;
  std::vector<VariableId> variables;
  for (std::size_t i = 0; i < polytope.box.size(); ++i) {
    variables.push_back(program.add_variable(polytope.box.lower[i], polytope.box.upper[i]));
  }
  for (const LinearInequality& inequality : polytope.inequalities) {
    std::vector<Term> terms;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (inequality.coefficients[i] != 0) terms.push_back({variables[i], inequality.coefficients[i]});
    }
    program.add_row(-kInfinity, terms, inequality.bound);
  }
  SolveRequest request;
  request.time_limit = kMostSeconds;
  const SolveResult result = make_solver(kDefaultSolver)->solve(program, request);
  return result.status == SolveStatus::kInfeasible && proves_infeasible(program, result.farkas_ray);
}

bool is_certainly_empty(const Polytope& polytope) {
  if (polytope.inequalities.empty()) return false;
  const std::vector<double> zeros(polytope.box.size(), 0.0);
  if (minimum(polytope, zeros) == kInfinity) return true;
  // Most families contain the unchanged sample.
  if (contains(Region(polytope), project(polytope, zeros))) return false;
  return is_infeasible(polytope);
}

}  // namespace

bool is_certainly_empty(const Region& region) {
  return std::ranges::all_of(region.parts(), [](const SimpleRegion& part) {
    if (const auto* polytope = std::get_if<Polytope>(&part)) return is_certainly_empty(*polytope);
    const auto* image = std::get_if<AffineImage>(&part);
    return image != nullptr && is_certainly_empty(Polytope{image->parameters, image->inequalities});
  });
}

Decide aware_of_emptiness(Decide decide, bool audit) {
  return [decide = std::move(decide), audit](const Query& query, const Limits& limits) {
    if (!is_certainly_empty(query.region)) return decide(query, limits);
    Verdict verdict;
    if (audit) {
      verdict = decide(query, limits);
      if (verdict.answer != Answer::kHolds) return verdict;  // what an audit does not confirm is not said
    }
    verdict.answer = Answer::kHolds;
    verdict.evidence = Evidence::kRigorous;
    verdict.reason = kEmptyRegion;
    verdict.margin_lower = std::numeric_limits<double>::infinity();
    return verdict;
  };
}

}  // namespace plumb
