#include "lanes/adam.h"

#include <algorithm>
#include <limits>

#include "lanes/ascent_kernels.h"

namespace plumb::lanes {
namespace {

// The running means of an earlier ascent, set back to zero, or new ones.
template <class T>
AdamMeans<T>& fresh_means(const LaneSystem<T>& system, Ascent<T>& ascent) {
  if (!ascent.memory) ascent.memory = std::make_unique<AdamMeans<T>>(system);
  auto& means = static_cast<AdamMeans<T>&>(*ascent.memory);
  for (auto* table : {&means.first, &means.second, &means.weight_first, &means.weight_second, &means.constraint_first,
                      &means.constraint_second}) {
    table->fill(T{0});
  }
  return means;
}

template <class T>
void add_to_mean_point(const LaneSystem<T>& system, const Lanes<T>& lanes, Ascent<T>& ascent) {
  for (std::int64_t i = 0; i < system.inputs() + system.units(); ++i) {
    T* sum = i < system.inputs() ? lanes_of(ascent.mean_inputs, i) : lanes_of(ascent.mean_values, i - system.inputs());
    const T* values = lanes_of(lanes.values, i);
    for (std::int64_t lane = 0; lane < kLanes<T>; ++lane) sum[lane] += values[lane];
  }
  ++ascent.means;
}

}  // namespace

template <class T>
AdamMeans<T>::AdamMeans(const LaneSystem<T>& system) {
  for (auto* table : {&first, &second}) table->resize(system.units(), system.width());
  for (auto* table : {&weight_first, &weight_second}) table->resize(system.cuts(), system.width());
  for (auto* table : {&constraint_first, &constraint_second}) table->resize(system.constraints(), system.width());
}

template <class T>
int ascend_by_adam(const LaneSystem<T>& system, const CutsOfUnits& cuts, Lanes<T>& lanes, const AscentOptions& options,
                   Ascent<T>& ascent) {
  AdamMeans<T>& means = fresh_means(system, ascent);
  std::ranges::fill(ascent.bound, -std::numeric_limits<T>::infinity());
  if (ascent.keep_means) {
    ascent.mean_inputs.fill(T{0});
    ascent.mean_values.fill(T{0});
    ascent.means = 0;
  }
  double decay = 1, first = 1, second = 1;
  for (int step = 0;; ++step) {
    system.backward(lanes);
    if (step == 0) ascent.start = lanes.bound;
    ascent_kernels::keep_best(lanes, ascent);
    const auto proven = [&](T bound) { return static_cast<double>(bound) > options.target; };
    if (std::all_of(ascent.bound.begin(), ascent.bound.begin() + options.lanes, proven)) return step;
    if (step == options.steps) return step;
    if (options.budget != nullptr && options.budget->reached() != LimitReached::kNone) return step;
    system.forward(lanes);
    if (ascent.keep_means && step >= options.steps / 3) add_to_mean_point(system, lanes, ascent);
    first *= ascent_kernels::kFirstDecay;
    second *= ascent_kernels::kSecondDecay;
    const double rate = decay / (1 - first);
    const ascent_kernels::Rates rates{options.slope_rate * rate, options.multiplier_rate * rate,
                                      options.weight_rate * rate, 1 / (1 - second)};
    ascent_kernels::step(cuts, rates, lanes, means);
    decay *= options.decay;
  }
}

template struct AdamMeans<float>;
template struct AdamMeans<double>;
template int ascend_by_adam(const LaneSystem<float>&, const CutsOfUnits&, Lanes<float>&, const AscentOptions&,
                            Ascent<float>&);
template int ascend_by_adam(const LaneSystem<double>&, const CutsOfUnits&, Lanes<double>&, const AscentOptions&,
                            Ascent<double>&);

}  // namespace plumb::lanes
