#include "verify/bounds_engine.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "bounds/unsafe_functionals.h"
#include "reduction/row_source.h"

namespace plumb {
namespace {

// By how much the unsafe set is missed in one part; `open` counts the conjunctions that are not excluded.
double margin_in(const BoundedNetwork& network, const SimpleRegion& part, const UnsafeSet& unsafe,
                 const BoundsEngineOptions& options, std::int64_t& open) {
  RegionBounds bounds(network, Region(part));
  compute_bounds(bounds, {.method = std::min(options.method, BoundMethod::kLinear)});
  const bool alpha = options.method >= BoundMethod::kAlpha;
  if (alpha) tighten_by_slopes(bounds, options.slopes);
  double margin = std::numeric_limits<double>::infinity();
  if (bounds.store.region_is_empty()) return margin;
  const UnsafeFunctionals functionals = unsafe_functionals(bounds, unsafe);
  const std::vector<double> lower =
      alpha ? RowSource(bounds, functionals.rows, options.slopes.most_bytes).lower_bounds(options.slopes.steps)
            : lower_bounds(bounds, functionals.rows);
  for (std::size_t c = 0; c < functionals.conjunctions(); ++c) {
    margin = std::min(margin, missed_by(functionals, lower, c));
    open += !is_excluded(functionals, lower, c);
  }
  return margin;
}

}  // namespace

Verdict decide_by_bounds(const BoundedNetwork& network, const Query& query, const BoundsEngineOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Verdict verdict;
  std::int64_t open = 0;
  verdict.margin_lower = std::numeric_limits<double>::infinity();
  for (const SimpleRegion& part : query.region.parts()) {
    verdict.margin_lower = std::min(verdict.margin_lower, margin_in(network, part, query.unsafe, options, open));
  }
  verdict.answer = open == 0 ? Answer::kHolds : Answer::kUnknown;
  verdict.reason = open == 0 ? "bounds" : "bounds alone do not tell";
  verdict.statistics.conjunctions_eliminated =
      static_cast<std::int64_t>(query.unsafe.conjunctions.size() * query.region.parts().size()) - open;
  verdict.statistics.build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return verdict;
}

}  // namespace plumb
