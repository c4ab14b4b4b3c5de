// row_source.h: the undecided units and the functionals of one region, stored as a reduced network where that fits into
// memory, through the layers otherwise.
#pragma once

#include <memory>
#include <vector>

#include "base/limits.h"
#include "lanes/lane_system.h"
#include "reduction/reduced_network.h"

namespace plumb::lanes {

class RowSource {
 public:
  // Keeps a reference to the bounds, whose region has one part.
  RowSource(const bounds::RegionBounds& bounds, bounds::Functionals functionals, std::int64_t most_bytes);

  // Null if it would not fit.
  reduction::ReducedNetwork* reduced() { return reduced_.get(); }
  const reduction::ReducedNetwork* reduced() const { return reduced_.get(); }
  std::unique_ptr<LaneSystem<double>> lanes() const;

  // Of the functionals, in order: after so many steps of slope ascent, or until they are positive. Rigorous. `slopes`
  // receives those that prove each bound, one a unit. With a budget, no step is taken once it has reached a limit.
  std::vector<double> lower_bounds(int steps, std::vector<std::vector<double>>* slopes = nullptr,
                                   const Budget* budget = nullptr) const;

 private:
  std::vector<double> bounds_along_lines(std::vector<std::vector<double>>* slopes) const;

  const bounds::RegionBounds& bounds_;
  bounds::Functionals functionals_;
  std::unique_ptr<reduction::ReducedNetwork> reduced_;
};

}  // namespace plumb::lanes
