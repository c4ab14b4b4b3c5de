#include "search/tree/lane_attack.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attack/region_steps.h"
#include "base/numbers.h"

namespace plumb::search {
namespace {

// Relative to the region's radius: long steps first, then shorter ones.
double step_size(int step, int steps) {
  const double progress = static_cast<double>(step) / static_cast<double>(steps);
  return progress < 0.5 ? 0.25 : (progress < 0.8 ? 0.08 : 0.02);
}

template <class T>
std::vector<double> inputs_of(const lanes::LaneTable<T>& table, std::int64_t inputs, std::int64_t lane) {
  std::vector<double> u(index(inputs));
  for (std::int64_t i = 0; i < inputs; ++i) u[index(i)] = static_cast<double>(table.at(i, lane));
  return u;
}

// A mean of each lane's gradients, of which `momentum` is kept per step. Gradients count by their direction alone: each
// is divided by its l1 norm.
template <class T>
class MeanGradient {
 public:
  MeanGradient(const lanes::LaneSystem<T>& system, double momentum)
      : inputs_(system.inputs()), width_(system.width()), momentum_(static_cast<T>(momentum)), norm_(index(width_)) {
    mean_.resize(inputs_, width_);
  }

  const lanes::LaneTable<T>& with(const lanes::LaneTable<T>& gradient) {
    std::ranges::fill(norm_, std::numeric_limits<T>::min());
    for (std::int64_t i = 0; i < inputs_; ++i) {
      for (std::int64_t lane = 0; lane < width_; ++lane) norm_[index(lane)] += std::abs(gradient.at(i, lane));
    }
    for (T& norm : norm_) norm = 1 / norm;
    for (std::int64_t i = 0; i < inputs_; ++i) {
      for (std::int64_t lane = 0; lane < width_; ++lane) {
        T& mean = mean_.at(i, lane);
        mean = momentum_ * mean + gradient.at(i, lane) * norm_[index(lane)];
      }
    }
    return mean_;
  }

 private:
  std::int64_t inputs_, width_;
  T momentum_;
  lanes::LaneRow<T> norm_;
  lanes::LaneTable<T> mean_;
};

// Steps against the sign of the gradient, inside the cube.
template <class T>
void step_in_cube(const lanes::LaneSystem<T>& system, const lanes::LaneTable<T>& uphill, lanes::Lanes<T>& lanes,
                  T size) {
  T* u = lanes.values.data();  // the inputs come first
  const T* gradient = uphill.data();
  const std::int64_t count = system.inputs() * system.width();
  for (std::int64_t i = 0; i < count; ++i) {
    const T sign = static_cast<T>(gradient[i] > 0) - static_cast<T>(gradient[i] < 0);
    u[i] = std::clamp(u[i] - size * sign, T{-1}, T{1});
  }
}

}  // namespace

template <class T>
bool descend(const lanes::LaneSystem<T>& system, lanes::Lanes<T>& lanes, std::int64_t count, int steps,
             const TryPoint& try_point, const Budget* budget, double momentum) {
  std::optional<attack::RegionSteps> region;
  if (!system.space().is_cube()) region.emplace(system.space().part());
  std::optional<MeanGradient<T>> mean;
  if (momentum > 0) mean.emplace(system, momentum);
  for (int step = 0;; ++step) {
    system.evaluate(lanes);
    for (std::int64_t lane = 0; lane < count; ++lane) {
      if (lanes.bound[index(lane)] <= 0 && try_point(inputs_of(lanes.values, system.inputs(), lane))) return true;
    }
    if (step == steps || (budget != nullptr && budget->reached() != LimitReached::kNone)) return false;
    system.differentiate(lanes);
    const double size = step_size(step, steps);
    const lanes::LaneTable<T>& gradient = mean ? mean->with(lanes.gradient) : lanes.gradient;
    if (!region) {
      step_in_cube(system, gradient, lanes, static_cast<T>(size));
      continue;
    }
    for (std::int64_t lane = 0; lane < count; ++lane) {
      std::vector<double> uphill = inputs_of(gradient, system.inputs(), lane);
      for (double& g : uphill) g = -g;
      const auto moved = region->step(inputs_of(lanes.values, system.inputs(), lane), uphill, size);
      for (std::int64_t i = 0; i < system.inputs(); ++i) lanes.values.at(i, lane) = static_cast<T>(moved[index(i)]);
    }
  }
}

template <class T>
void randomise_inputs(const lanes::LaneSystem<T>& system, lanes::Lanes<T>& lanes, std::int64_t lane,
                      std::mt19937_64& random) {
  if (!system.space().is_cube()) {
    const std::vector<double> point = random_point(system.space().part(), random);
    for (std::int64_t i = 0; i < system.inputs(); ++i) lanes.values.at(i, lane) = static_cast<T>(point[index(i)]);
    return;
  }
  for (std::int64_t i = 0; i < system.inputs(); ++i) {
    // 53 bits, scaled here because the distributions of standard libraries differ between implementations.
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    lanes.values.at(i, lane) = static_cast<T>(2 * unit - 1);
  }
}

template bool descend(const lanes::LaneSystem<float>&, lanes::Lanes<float>&, std::int64_t, int, const TryPoint&,
                      const Budget*, double);
template bool descend(const lanes::LaneSystem<double>&, lanes::Lanes<double>&, std::int64_t, int, const TryPoint&,
                      const Budget*, double);
template void randomise_inputs(const lanes::LaneSystem<float>&, lanes::Lanes<float>&, std::int64_t, std::mt19937_64&);
template void randomise_inputs(const lanes::LaneSystem<double>&, lanes::Lanes<double>&, std::int64_t, std::mt19937_64&);

}  // namespace plumb::search
