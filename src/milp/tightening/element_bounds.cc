#include "milp/tightening/element_bounds.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "program/certified_bound.h"
#include "program/priced_session.h"

namespace plumb::milp {
namespace {

constexpr std::int64_t kSidesInAGroup = 16;

EncodedNetwork encode(const bounds::RegionBounds& bounds, network::NodeId id, const std::vector<std::int64_t>& elements,
                      const ElementBoundOptions& options) {
  if (!options.layered) {
    if (const auto reduced = reduction::ReducedNetwork::build(bounds, id, elements, options.most_bytes)) {
      return encode_reduced(*reduced, options.encoding);
    }
  }
  return encode_layered(bounds, id, elements, options.encoding);
}

}  // namespace

ElementBounds::ElementBounds(const bounds::RegionBounds& bounds, network::NodeId id, std::vector<std::int64_t> elements,
                             const program::Solver& solver, const ElementBoundOptions& options)
    : solver_(solver),
      options_(options),
      elements_(std::move(elements)),
      network_(encode(bounds, id, elements_, options)) {
  add_region(network_, bounds.parts[0], options.encoding.ignored_coefficient);
}

const Expression& ElementBounds::expression(std::int64_t element) const {
  const auto at = std::ranges::lower_bound(elements_, element);
  if (at == elements_.end() || *at != element) throw InternalError("tightening", "an unexpected element");
  return network_.functionals[static_cast<std::size_t>(at - elements_.begin())];
}

std::vector<double> ElementBounds::lower_bounds(std::span<const Side> sides, bounds::BoundMethod method,
                                                Budget& budget) {
  std::vector<double> lower(sides.size(), -kInfinity);
  const auto count = static_cast<std::int64_t>(sides.size());
  const std::int64_t groups = (count + kSidesInAGroup - 1) / kSidesInAGroup;
  std::vector<ElementBoundStatistics> counts(static_cast<std::size_t>(groups));
  parallel_for(groups, options_.threads, [&](std::int64_t g) {
    const auto session = method == bounds::BoundMethod::kLp ? open_session() : nullptr;
    program::Program program = method == bounds::BoundMethod::kLp ? program::Program() : network_.program;
    for (std::int64_t i = g * kSidesInAGroup; i < std::min(count, (g + 1) * kSidesInAGroup); ++i) {
      if (budget.reached() != LimitReached::kNone) return;
      const Side& side = sides[static_cast<std::size_t>(i)];
      ElementBoundStatistics& own = counts[static_cast<std::size_t>(g)];
      lower[static_cast<std::size_t>(i)] =
          session ? by_lp(*session, side, budget, own) : by_milp(program, side, budget, own);
    }
  });
  for (const ElementBoundStatistics& own : counts) {
    statistics_.lps += own.lps;
    statistics_.milps += own.milps;
    statistics_.simplex_iterations += own.simplex_iterations;
    statistics_.nodes += own.nodes;
    budget.charge(own.nodes + own.lps + own.milps);
  }
  return lower;
}

std::unique_ptr<program::LpSession> ElementBounds::open_session() const {
  std::vector<program::VariableId> moves = moves_of(network_);
  std::erase_if(moves, [&](program::VariableId move) { return network_.program.lower(move) != 0; });
  return open_priced_session(solver_, network_.program, moves);
}

double ElementBounds::by_lp(program::LpSession& session, const Side& side, const Budget& budget,
                            ElementBoundStatistics& counts) const {
  const Expression& x = expression(side.element);
  const Expression asked = side.sign > 0 ? x : negated(x);
  session.set_objective(asked.terms);
  program::SolveRequest request;
  request.time_limit = budget.seconds_left();
  request.cancel = budget.cancel();
  const program::SolveResult result = session.solve(request);
  ++counts.lps;
  counts.simplex_iterations += result.simplex_iterations;
  if (result.row_duals.empty()) return -kInfinity;
  const double bound = certified_bound(session.program(), result.row_duals);
  return sum_down(sum_down(bound, asked.constant), -asked.error);
}

double ElementBounds::by_milp(program::Program& program, const Side& side, const Budget& budget,
                              ElementBoundStatistics& counts) const {
  const Expression& x = expression(side.element);
  const Expression asked = side.sign > 0 ? x : negated(x);
  program.set_objective(asked.terms);
  const auto lowered = [&](double bound) {
    const double value = sum_down(sum_down(bound, asked.constant), -asked.error);
    return sum_down(value, -product_up(kClaimTolerance, std::max(1.0, std::abs(value))));
  };
  program::SolveRequest request;
  request.time_limit = budget.seconds_left();
  request.node_limit = options_.milp_nodes;
  request.cancel = budget.cancel();
  // Asks for twice the tolerance more than `enough`, so that the bound is still enough after lowered().
  if (std::isfinite(side.enough)) {
    request.stop_at_bound =
        side.enough - asked.constant + asked.error + 2 * kClaimTolerance * std::max(1.0, std::abs(side.enough));
  }
  const program::SolveResult result = solver_.solve(program, request);
  ++counts.milps;
  counts.nodes += result.nodes;
  counts.simplex_iterations += result.simplex_iterations;
  if (result.status == program::SolveStatus::kFailed || !std::isfinite(result.best_bound)) return -kInfinity;
  return lowered(result.best_bound);
}

}  // namespace plumb::milp
