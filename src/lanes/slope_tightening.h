// slope_tightening.h: bounds of undecided units by optimised slopes (alpha).
//
// In:  bounds over a region of one part, interval and linear ones.
// Out: tighter bounds of undecided ReLU units in the store, layer by layer, each layer using what the earlier ones
//      gained.
//
// Sound: every bound is a rigorous one (lane_system.h in double); slopes are whatever the ascent found.
#pragma once

#include "base/limits.h"
#include "bounds/bounds.h"
#include "events/events.h"

namespace plumb::lanes {

struct SlopeOptions {
  int steps = 20;
  std::int64_t most_bytes = std::int64_t{1} << 28;  // a reduced network beyond this is not stored
  events::EventSink* events = nullptr;              // hears of each bound, with the slopes that prove it
  // Beyond its limits nothing more is tightened: units keep the bounds that they have, which are valid.
  const Budget* budget = nullptr;
};

struct SlopeStatistics {
  std::int64_t rows = 0;             // optimised
  std::int64_t affine_in_a_box = 0;  // not: their bounds are exact already
  std::int64_t decided = 0;          // undecided before, decided now
};

// Tightens the bounds of all undecided ReLU units, and redraws their lines.
SlopeStatistics tighten_by_slopes(bounds::RegionBounds& bounds, const SlopeOptions& options);

}  // namespace plumb::lanes
