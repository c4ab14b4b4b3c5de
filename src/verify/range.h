// range.h: the values that a linear function of outputs and inputs takes over a region.
//
// In:  an objective (vnnlib/objective.h), a region of decimals in two forms, any engine that decides queries.
// Out: two intervals, one that contains the minimum and one that contains the maximum. The outer end of each is proven;
//      the inner end is attained at a point of the region.
//
// The minimum of f is the least margin of the unsafe set {f <= 0} (worst_margin.h), and the maximum is minus the
// minimum of -f.
//
// Sound:  proofs are about the region rounded outward, points lie in the region rounded inward. The constant and the
//         power of ten of the objective are applied exactly, and the results are rounded outward.
// Trusts: the engine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "verify/worst_margin.h"
#include "vnnlib/objective.h"
#include "vnnlib/vnnlib_property.h"

namespace plumb::verify {

// An interval that contains the minimum, or the maximum.
struct RangeEnd {
  // Over an empty region both are plus infinity for a minimum, minus infinity for a maximum. If nothing is proven, or
  // if there is no point, that side is infinite.
  double lower = 0, upper = 0;
  bool exact = false;                                         // the gap is closed, or the region is empty
  std::string reason;                                         // why the work ended
  verdict::Evidence evidence = verdict::Evidence::kRigorous;  // of the proven side
  double rigorous = 0;  // the tightest proven side that rests on Plumb's own arithmetic
  // Where the value of the objective is on the inner side: at most `upper` for a minimum, at least `lower` for a
  // maximum.
  std::optional<verdict::Witness> point;
  std::int64_t decisions = 0;      // number of queries put to the engine
  verdict::Statistics statistics;  // of all of them together
  double seconds = 0;
};

struct Range {
  RangeEnd minimum, maximum;
};

// `of` is a case of a property about inputs alone (vnnlib/input_assertions.h); its unsafe sets are not used.
// `narrowing` returns an engine that has not been used yet. The gaps of `options` are in units of the objective. The
// minimum gets half of the limits, and the maximum what is left. Throws DataError, as Query does, if the objective has
// values of an output whose last softmax or similar operation was dropped.
Range range(const std::shared_ptr<const bounds::BoundedNetwork>& network,
            const std::shared_ptr<const attack::NetworkEvaluators>& evaluators, const vnnlib::PropertyCase& of,
            const vnnlib::Objective& objective, const std::function<NarrowingDecide()>& narrowing,
            const verdict::MinimiseMargin& minimise, const WorstMarginOptions& options, const Limits& limits);

}  // namespace plumb::verify
