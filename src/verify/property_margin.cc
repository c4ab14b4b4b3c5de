#include "verify/property_margin.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"

namespace plumb::verify {
namespace {

// Adds a case to the result for the cases before it.
void join(WorstMargin& whole, WorstMargin part) {
  whole.decisions += part.decisions;
  whole.statistics += part.statistics;
  whole.violated = whole.violated || part.violated;
  whole.rigorous_lower = std::min(whole.rigorous_lower, part.rigorous_lower);
  if (part.lower < whole.lower) {
    whole.lower = part.lower;
    whole.reason = std::move(part.reason);
  }
  if (part.upper < whole.upper) {
    whole.upper = part.upper;
    whole.point = std::move(part.point);
  }
}

bool is_closed(const WorstMargin& whole, const WorstMarginOptions& options) {
  if (!whole.point) return whole.lower == kInfinity;
  return whole.upper - whole.lower <= std::max(options.absolute_gap, options.gap * std::abs(whole.upper));
}

}  // namespace

WorstMargin property_margin(const std::shared_ptr<const bounds::BoundedNetwork>& network,
                            const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                            const vnnlib::VnnlibProperty& property, const std::function<NarrowingDecide()>& narrowing,
                            const verdict::MinimiseMargin& minimise, const WorstMarginOptions& options,
                            const Limits& limits) {
  Budget budget(limits);
  WorstMargin whole;
  whole.lower = whole.upper = whole.rigorous_lower = kInfinity;
  whole.reason = "no input satisfies the assertions";
  WorstMarginOptions next = options;
  for (std::size_t c = 0; c < property.cases.size(); ++c) {
    const auto cases_left = static_cast<std::int64_t>(property.cases.size() - c);
    Limits share = limits;
    share.seconds = budget.seconds_left() / static_cast<double>(cases_left);
    share.work = std::max<std::int64_t>(1, budget.work_left() / cases_left);
    WorstMargin part = worst_margin(network, evaluators, RoundedQuery(network->shared_network(), property.cases[c]),
                                    narrowing(), minimise, next, share);
    budget.charge(part.statistics.work);
    join(whole, std::move(part));
    next.reached = whole.upper;
  }
  if (whole.lower > whole.rigorous_lower) whole.evidence = verdict::Evidence::kSolver;
  whole.exact = is_closed(whole, options);
  if (whole.exact && whole.point) whole.reason = "closed";
  return whole;
}

}  // namespace plumb::verify
