#include "milp/bounds_engine.h"

#include <algorithm>
#include <limits>

#include "bounds/unsafe_functionals.h"
#include "lanes/row_source.h"

namespace plumb {
namespace {

class Bounding {
 public:
  Bounding(const BoundedNetwork& network, const UnsafeSet& unsafe, const TighteningOptions& options,
           const Solver* solver, const Limits& limits)
      : network_(network), unsafe_(unsafe), options_(options), solver_(solver), budget_(limits) {
    verdict_.margin_lower = std::numeric_limits<double>::infinity();
  }

  void bound(const SimpleRegion& part) {
    RegionBounds bounds(network_, Region(part));
    const ElementBoundStatistics counts = compute_tight_bounds(bounds, options_, solver_, budget_);
    verdict_.statistics.lps += counts.lps;
    verdict_.statistics.nodes += counts.nodes;
    verdict_.statistics.simplex_iterations += counts.simplex_iterations;
    if (uses_claims(bounds)) verdict_.evidence = Evidence::kSolver;
    if (bounds.store.region_is_empty()) return;
    const UnsafeFunctionals functionals = unsafe_functionals(bounds, unsafe_);
    const std::vector<double> lower = lower_bounds_of(bounds, functionals);
    for (std::size_t c = 0; c < functionals.conjunctions(); ++c) {
      verdict_.margin_lower = std::min(verdict_.margin_lower, missed_by(functionals, lower, c));
      ++(is_excluded(functionals, lower, c) ? verdict_.statistics.conjunctions_eliminated : open_);
    }
  }

  Verdict verdict() {
    verdict_.answer = open_ == 0 ? Answer::kHolds : Answer::kUnknown;
    verdict_.reason = open_ == 0 ? "bounds" : "bounds alone do not tell";
    verdict_.statistics.build_seconds = budget_.seconds();
    verdict_.statistics.work = budget_.work();
    return std::move(verdict_);
  }

 private:
  std::vector<double> lower_bounds_of(const RegionBounds& bounds, const UnsafeFunctionals& functionals) const {
    const bool slopes = options_.methods.back() >= BoundMethod::kAlpha;
    if (!slopes || budget_.reached() != LimitReached::kNone) return lower_bounds(bounds, functionals.rows);
    const RowSource rows(bounds, functionals.rows, options_.programs.most_bytes);
    return rows.lower_bounds(options_.slope_steps, nullptr, &budget_);
  }

  const BoundedNetwork& network_;
  const UnsafeSet& unsafe_;
  const TighteningOptions& options_;
  const Solver* solver_;
  Budget budget_;
  std::int64_t open_ = 0;  // conjunctions
  Verdict verdict_;
};

}  // namespace

Verdict decide_by_bounds(const BoundedNetwork& network, const Query& query, const TighteningOptions& options,
                         const Solver* solver, const Limits& limits) {
  Bounding bounding(network, query.unsafe, options, solver, limits);
  try {
    for (const SimpleRegion& part : query.region.parts()) bounding.bound(part);
  } catch (const OverflowError& error) {
    return unknown_by(error);
  }
  return bounding.verdict();
}

}  // namespace plumb
