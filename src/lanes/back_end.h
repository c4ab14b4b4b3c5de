// back_end.h: what bounds rows: it makes systems of lanes, with a width and a slope ascent of its own.
//
// Search and tightening make systems through a BoundingBackEnd, ask a system how many lanes it has, and let it ascend.
// They hand over whole ascents, not single steps, so that a back end with memory of its own can keep lanes there.
//
// Sound: verdicts rest on the bounds of systems of double, which must be rigorous (lane_system.h).
#pragma once

#include <memory>

#include "bounds/backward.h"
#include "lanes/lane_system.h"
#include "reduction/cuts.h"
#include "reduction/reduced_network.h"

namespace plumb::lanes {

// Rows that are stored, with cuts of their units. `constraints` are rows of the network that lanes may add to what they
// ask (lanes.h). Systems keep a reference to the network alone.
struct StoredRows {
  const reduction::ReducedNetwork& network;
  std::span<const reduction::Cut> cuts = {};
  std::span<const std::int64_t> constraints = {};
};

// May be used by several threads at once.
class BoundingBackEnd {
 public:
  virtual ~BoundingBackEnd() = default;

  // The width of systems of float, for those who group rows before they make a system.
  virtual std::int64_t float_width() const = 0;

  virtual std::unique_ptr<LaneSystem<float>> float_system(const StoredRows& rows) const = 0;
  virtual std::unique_ptr<LaneSystem<double>> double_system(const StoredRows& rows) const = 0;
  // Rows through the layers, for networks that are not stored. Keeps a reference to the bounds.
  virtual std::unique_ptr<LaneSystem<double>> layered_system(const bounds::RegionBounds& bounds,
                                                             bounds::Functionals functionals) const = 0;
};

// The back end that options name unless they are told otherwise.
std::shared_ptr<const BoundingBackEnd> default_back_end();

}  // namespace plumb::lanes
