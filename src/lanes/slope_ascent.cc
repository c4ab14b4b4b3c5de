#include "lanes/slope_ascent.h"

#include "lanes/lane_system.h"

namespace plumb::lanes {

template <class T>
Ascent<T>::Ascent(const LaneSystem<T>& system)
    : start(static_cast<std::size_t>(system.width())), bound(static_cast<std::size_t>(system.width())) {
  for (auto* table : {&slope, &multiplier, &mean_values}) table->resize(system.units(), system.width());
  weight.resize(system.cuts(), system.width());
  constraint_multiplier.resize(system.constraints(), system.width());
  for (auto* table : {&point, &mean_inputs}) table->resize(system.inputs(), system.width());
}

template struct Ascent<float>;
template struct Ascent<double>;

}  // namespace plumb::lanes
