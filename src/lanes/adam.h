// adam.h: the processor's slope ascent (slope_ascent.h), by steps of Adam in SIMD.
#pragma once

#include "lanes/cpu_lanes.h"
#include "lanes/lane_system.h"

namespace plumb::lanes {

// Adam's running means.
template <class T>
struct AdamMeans final : AscentMemory {
  explicit AdamMeans(const LaneSystem<T>& system);

  LaneTable<T> first, second, weight_first, weight_second, constraint_first, constraint_second;
};

// LaneSystem::ascend() of a system that has the width of cpu_lanes.h.
template <class T>
int ascend_by_adam(const LaneSystem<T>& system, const CutsOfUnits& cuts, Lanes<T>& lanes, const AscentOptions& options,
                   Ascent<T>& ascent);

extern template int ascend_by_adam(const LaneSystem<float>&, const CutsOfUnits&, Lanes<float>&, const AscentOptions&,
                                   Ascent<float>&);
extern template int ascend_by_adam(const LaneSystem<double>&, const CutsOfUnits&, Lanes<double>&, const AscentOptions&,
                                   Ascent<double>&);

}  // namespace plumb::lanes
