#include "lanes/slope_ascent.h"

#include <algorithm>
#include <limits>

#include "lanes/ascent_kernels.h"

namespace plumb::lanes {
namespace {

template <class T>
void add_means(const LaneSystem<T>& system, const Lanes<T>& lanes, Ascent<T>& ascent) {
  for (std::int64_t i = 0; i < system.inputs() + system.units(); ++i) {
    T* sum = i < system.inputs() ? ascent.mean_inputs.row(i) : ascent.mean_values.row(i - system.inputs());
    for (std::int64_t lane = 0; lane < kLanes<T>; ++lane) sum[lane] += lanes.values.at(i, lane);
  }
  ++ascent.means;
}

}  // namespace

template <class T>
Ascent<T>::Ascent(const LaneSystem<T>& system) {
  for (auto* table : {&slope, &multiplier, &first, &second, &mean_values}) table->resize(system.units());
  for (auto* table : {&weight, &weight_first, &weight_second}) table->resize(system.cuts());
  for (auto* table : {&constraint_multiplier, &constraint_first, &constraint_second})
    table->resize(system.constraints());
  point.resize(system.inputs());
  mean_inputs.resize(system.inputs());
}

template <class T>
int ascend(const LaneSystem<T>& system, Lanes<T>& lanes, const AscentOptions& options, Ascent<T>& ascent) {
  ascent.bound.fill(-std::numeric_limits<T>::infinity());
  for (auto* table : {&ascent.first, &ascent.second, &ascent.weight_first, &ascent.weight_second,
                      &ascent.constraint_first, &ascent.constraint_second}) {
    table->fill(T{0});
  }
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
    if (ascent.keep_means && step >= options.steps / 3) add_means(system, lanes, ascent);
    first *= ascent_kernels::kFirstDecay;
    second *= ascent_kernels::kSecondDecay;
    const double rate = decay / (1 - first);
    const ascent_kernels::Rates rates{options.slope_rate * rate, options.multiplier_rate * rate,
                                      options.weight_rate * rate, 1 / (1 - second)};
    ascent_kernels::step(system.first_cut().data(), system.cut_of_owner().data(), rates, lanes, ascent);
    decay *= options.decay;
  }
}

template struct Ascent<float>;
template struct Ascent<double>;
template int ascend(const LaneSystem<float>&, Lanes<float>&, const AscentOptions&, Ascent<float>&);
template int ascend(const LaneSystem<double>&, Lanes<double>&, const AscentOptions&, Ascent<double>&);

}  // namespace plumb::lanes
