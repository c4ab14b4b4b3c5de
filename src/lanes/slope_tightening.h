// slope_tightening.h: bounds of undecided units by optimised slopes (alpha).
//
// In:  interval and linear bounds over a region of one part.
// Out: tighter bounds of undecided ReLU units in the store, layer by layer. Each layer uses the gains of the earlier
//      ones.
//
// Sound: every bound is rigorous (lane_system.h in double), whatever slopes the ascent found.
#pragma once

#include "base/limits.h"
#include "bounds/bounds.h"
#include "events/events.h"
#include "lanes/back_end.h"

namespace plumb::lanes {

struct SlopeOptions {
  int steps = 20;
  std::int64_t most_bytes = std::int64_t{1} << 28;  // a reduced network that takes more is not stored
  events::EventSink* events = nullptr;              // receives each bound, with the slopes that prove it
  // At its limits nothing more is tightened. Units keep the bounds that they have, which are valid.
  const Budget* budget = nullptr;
  std::shared_ptr<const BoundingBackEnd> back_end = default_back_end();
};

struct SlopeStatistics {
  std::int64_t rows = 0;             // rows that were optimised
  std::int64_t affine_in_a_box = 0;  // units that were not, because their bounds are exact already
  std::int64_t decided = 0;          // units that the new bounds decided
};

// Tightens the bounds of all undecided ReLU units, and redraws their lines.
SlopeStatistics tighten_by_slopes(bounds::RegionBounds& bounds, const SlopeOptions& options);

}  // namespace plumb::lanes
