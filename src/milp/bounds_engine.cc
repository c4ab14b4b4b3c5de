#include "milp/bounds_engine.h"

#include <algorithm>

#include "base/numbers.h"
#include "bounds/unsafe_functionals.h"
#include "lanes/row_source.h"

namespace plumb::milp {
namespace {

class Bounding {
 public:
  Bounding(const std::shared_ptr<const bounds::BoundedNetwork>& network, const property::UnsafeSet& unsafe,
           const TighteningOptions& options, const program::Solver* solver, const Limits& limits)
      : network_(network), unsafe_(unsafe), options_(options), solver_(solver), budget_(limits) {
    verdict_.margin_lower = kInfinity;
  }

  void bound(const property::SimpleRegion& part) {
    bounds::RegionBounds bounds(network_, property::Region(part));
    const ElementBoundStatistics counts = compute_tight_bounds(bounds, options_, solver_, budget_);
    verdict_.statistics.lps += counts.lps;
    verdict_.statistics.nodes += counts.nodes;
    verdict_.statistics.simplex_iterations += counts.simplex_iterations;
    if (uses_claims(bounds)) verdict_.evidence = verdict::Evidence::kSolver;
    if (bounds.store.region_is_empty()) return;
    const bounds::UnsafeFunctionals functionals = unsafe_functionals(bounds, unsafe_);
    const std::vector<double> lower = lower_bounds_of(bounds, functionals);
    for (std::size_t c = 0; c < functionals.conjunctions(); ++c) {
      verdict_.margin_lower = std::min(verdict_.margin_lower, missed_by(functionals, lower, c));
      ++(is_refuted(functionals, lower, c) ? verdict_.statistics.conjunctions_eliminated : open_);
    }
  }

  verdict::Verdict verdict() {
    verdict_.answer = open_ == 0 ? verdict::Answer::kHolds : verdict::Answer::kUnknown;
    verdict_.reason = open_ == 0 ? "bounds" : "bounds alone do not decide";
    verdict_.statistics.build_seconds = budget_.seconds();
    verdict_.statistics.work = budget_.work();
    return std::move(verdict_);
  }

 private:
  std::vector<double> lower_bounds_of(const bounds::RegionBounds& bounds,
                                      const bounds::UnsafeFunctionals& functionals) const {
    const bool slopes = options_.methods.back() >= bounds::BoundMethod::kAlpha;
    if (!slopes || budget_.reached() != LimitReached::kNone) return lower_bounds(bounds, functionals.rows);
    const lanes::RowSource rows(bounds, functionals.rows, options_.programs.most_bytes, *options_.back_end, &budget_);
    return rows.lower_bounds(options_.slope_steps);
  }

  const std::shared_ptr<const bounds::BoundedNetwork>& network_;
  const property::UnsafeSet& unsafe_;
  const TighteningOptions& options_;
  const program::Solver* solver_;
  Budget budget_;
  std::int64_t open_ = 0;  // conjunctions
  verdict::Verdict verdict_;
};

}  // namespace

verdict::Verdict decide_by_bounds(const std::shared_ptr<const bounds::BoundedNetwork>& network,
                                  const property::Query& query, const TighteningOptions& options,
                                  const program::Solver* solver, const Limits& limits) {
  Bounding bounding(network, query.unsafe, options, solver, limits);
  try {
    for (const property::SimpleRegion& part : query.region.parts()) bounding.bound(part);
  } catch (const OverflowError& error) {
    return verdict::unknown_by(error);
  }
  return bounding.verdict();
}

}  // namespace plumb::milp
