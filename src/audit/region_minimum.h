// region_minimum.h: the least value of a functional over a region, computed simply and independently of
// property/region.h.
//
// Every rule is weak duality with some multiplier. A rough search in plain double arithmetic chooses the multiplier,
// and interval arithmetic evaluates the bound that it yields. A bad choice yields a low bound, never a wrong one.
#pragma once

#include <span>
#include <vector>

#include "audit/interval.h"
#include "events/events.h"
#include "property/region.h"

namespace plumb::audit {

// The functional on_inputs . x + on_coordinates . u, where `coordinates` says what u is. `on_region` holds multipliers
// for the region's inequalities, which are tried in addition to the rule's own; it may be empty. `ranges` are of the
// coordinates, outside of which the functional does not matter; it may be empty.
struct RegionFunctional {
  std::vector<Interval> on_inputs, on_coordinates;
  std::span<const events::CoordinateClaim> coordinates;
  std::span<const double> on_region;
  std::span<const Interval> ranges = {};
};

// A lower bound on the functional over the region, where coordinates lie in their ranges.
double minimum(const property::SimpleRegion& region, const RegionFunctional& functional);

}  // namespace plumb::audit
