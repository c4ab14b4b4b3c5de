// row_source.h: the rows of one region's undecided units and functionals, stored as a reduced network if that fits into
// memory, and otherwise computed through the layers.
#pragma once

#include <memory>
#include <vector>

#include "base/limits.h"
#include "lanes/back_end.h"
#include "reduction/reduced_network.h"

namespace plumb::lanes {

class RowSource {
 public:
  // Keeps references to the bounds, whose region must have one part, to the back end and to the budget, which may be
  // nullptr.
  RowSource(const bounds::RegionBounds& bounds, bounds::Functionals functionals, std::int64_t most_bytes,
            const BoundingBackEnd& back_end, const Budget* budget = nullptr);

  // nullptr if it would take more than `most_bytes`, or if the budget reached a limit while it was made.
  reduction::ReducedNetwork* reduced() { return reduced_.get(); }
  const reduction::ReducedNetwork* reduced() const { return reduced_.get(); }
  // Through the layers, passes end without bounds once the budget has reached a limit.
  std::unique_ptr<LaneSystem<double>> lanes() const;

  // Rigorous lower bounds of the functionals, in order. Slopes are improved by up to `steps` steps of slope ascent,
  // until the bounds are positive. `slopes` receives the slopes that prove each bound, one per unit. Once the budget
  // has reached a limit, no step is taken, and bounds that are not known by then are minus infinity.
  std::vector<double> lower_bounds(int steps, std::vector<std::vector<double>>* slopes = nullptr) const;

 private:
  std::vector<double> bounds_along_lines(std::vector<std::vector<double>>* slopes) const;

  const bounds::RegionBounds& bounds_;
  bounds::Functionals functionals_;
  const BoundingBackEnd& back_end_;
  const Budget* budget_;
  std::unique_ptr<reduction::ReducedNetwork> reduced_;
};

}  // namespace plumb::lanes
