// cpu_lanes.h: lanes as the processor's kernels see them: one cache line per index, 16 lanes of float or 8 of double.
//
// Kernels know this width at compile time. Everything else asks the system for its width.
#pragma once

#include <array>

#include "lanes/lanes.h"

namespace plumb::lanes {

template <class T>
inline constexpr std::int64_t kLanes = static_cast<std::int64_t>(kCacheLine / sizeof(T));

template <class T>
using LaneArray = std::array<T, static_cast<std::size_t>(kLanes<T>)>;

// The lanes of one index.
template <class T>
T* lanes_of(LaneTable<T>& table, std::int64_t i) {
  return table.data() + i * kLanes<T>;
}
template <class T>
const T* lanes_of(const LaneTable<T>& table, std::int64_t i) {
  return table.data() + i * kLanes<T>;
}

// The cuts of each unit: those of unit k are cut[first[k]] .. cut[first[k + 1] - 1].
struct CutsOfUnits {
  std::vector<std::int32_t> first, cut;
  std::vector<std::int32_t> joint;  // the cuts that bound several units together
};

}  // namespace plumb::lanes
