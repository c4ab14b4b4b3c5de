// back_end.h: a back end bounds rows: it makes systems of lanes, with a width and a slope ascent of its own.
//
// Search and tightening make systems through a BoundingBackEnd, ask a system how many lanes it has, and let it ascend.
// They hand over whole ascents, not single steps, so that a back end with memory of its own can keep lanes there.
//
// Use:   auto system = back_end.double_system({reduced, cuts, constraints});   then as lane_system.h says
//
// Lifetime: a system refers to the ReducedNetwork or RegionBounds that it was made from, and to the
//        budget. These must outlive it. It copies everything else, and does not need the back end. If lines are
//        tightened later in the network or in the bounds, lanes made after that use the new lines. The set of units
//        does not change.
// Limits: once a system's budget has reached a limit, backward() finds no bounds (minus infinity), evaluate() finds no
//        unsafe values (plus infinity), and forward() and differentiate() leave the lanes as they are.
// Sound: verdicts rest on the bounds of systems of double, which must be rigorous (lane_system.h).
// Threads: a back end may be used by several threads at once.
#pragma once

#include <cstdint>
#include <memory>

#include "base/limits.h"
#include "bounds/backward.h"
#include "lanes/lane_system.h"
#include "reduction/cuts.h"
#include "reduction/reduced_network.h"

namespace plumb::lanes {

// Rows that are stored, with cuts of their units.
struct StoredRows {
  const reduction::ReducedNetwork& network;
  // cuts[c] is cut c of the system. Each must bound a single unit; otherwise InternalError is thrown.
  std::span<const reduction::Cut> cuts = {};
  // Row numbers of the network, usually of functionals. Row constraints[c] is constraint c of the system. Lanes may add
  // multiples of these rows to what they ask (lanes.h).
  std::span<const std::int64_t> constraints = {};
  // Laying out the rows of a large network takes long. Once this budget has reached a limit, a layout is abandoned, and
  // passes end as those through the layers do. nullptr means no limit.
  const Budget* budget = nullptr;
};

// About how much memory the rows of a reduced network, a system of float and one of double take together, at the peak,
// per byte of the rows alone (ReducedNetwork::bytes()). The peak is reached while the second system is laid out.
inline constexpr std::int64_t kBytesPerByteOfRows = 5;

class BoundingBackEnd {
 public:
  virtual ~BoundingBackEnd() = default;

  // The width of all systems of float, for those who group rows before they make a system.
  virtual std::int64_t float_width() const = 0;

  virtual std::unique_ptr<LaneSystem<float>> float_system(const StoredRows& rows) const = 0;
  virtual std::unique_ptr<LaneSystem<double>> double_system(const StoredRows& rows) const = 0;
  // Rows through the layers, for networks that are not stored: without cuts and constraints. The functionals are over
  // output nodes, and possibly input nodes. The region must have one part. `budget` is as in StoredRows.
  virtual std::unique_ptr<LaneSystem<double>> layered_system(const bounds::RegionBounds& bounds,
                                                             bounds::Functionals functionals,
                                                             const Budget* budget) const = 0;
};

// The back end that options name unless they are told otherwise: the processor, in SIMD. Never nullptr; always the same
// object.
std::shared_ptr<const BoundingBackEnd> default_back_end();

}  // namespace plumb::lanes
