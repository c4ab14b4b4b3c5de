// slope_ascent.h: better slopes, multipliers and cut weights for the subproblems in all lanes, by a few steps of Adam.
//
// In:  lanes in which something is asked, and choices to start from.
// Out: for each lane the best bound met and the choices that gave it.
//
// The bound is concave in the choices. Let v_k be the coefficient of r_k, and z_k its argument at the relaxation's
// minimiser. The derivative of the bound by a slope is max(v_k, 0) z_k; by the multiplier of an active unit -z_k, of an
// inactive unit z_k; by a cut's weight min(v_k, 0) (cut - upper line); by a constraint multiplier the value of the
// constraint.
//
// Follows: Xu et al. 2021 (optimised slopes), Wang et al. 2021 (multipliers of splits).
#pragma once

#include "base/limits.h"
#include "lanes/lane_system.h"

namespace plumb::lanes {

struct AscentOptions {
  int steps = 20;
  double slope_rate = 0.3, multiplier_rate = 0.1, weight_rate = 0.1;
  double decay = 0.95;  // of all rates, per step
  // The ascent ends when the best bound of each of the first `lanes` lanes is above the target. Infinity means that all
  // steps are taken.
  double target = 0;
  std::int64_t lanes = 1;
  const Budget* budget = nullptr;  // if given, the ascent ends at its limits; the first bound is always computed
};

// Results and working memory of ascend(). It can be used again, so that nothing is allocated in a loop.
template <class T>
struct Ascent {
  explicit Ascent(const LaneSystem<T>& system);

  alignas(kCacheLine) LaneArray<T> start{};                              // the bound before any step
  alignas(kCacheLine) LaneArray<T> bound{};                              // the best bound
  LaneTable<T> slope, multiplier, weight, constraint_multiplier, point;  // where it was met
  LaneTable<T> mean_inputs, mean_values;  // sums of the minimisers over the last two thirds of the steps, if kept
  bool keep_means = false;
  std::int64_t means = 0;  // how many minimisers were summed

  // Adam's running means.
  LaneTable<T> first, second, weight_first, weight_second, constraint_first, constraint_second;
};

// Returns the number of steps taken.
template <class T>
int ascend(const LaneSystem<T>& system, Lanes<T>& lanes, const AscentOptions& options, Ascent<T>& ascent);

extern template struct Ascent<float>;
extern template struct Ascent<double>;
extern template int ascend(const LaneSystem<float>&, Lanes<float>&, const AscentOptions&, Ascent<float>&);
extern template int ascend(const LaneSystem<double>&, Lanes<double>&, const AscentOptions&, Ascent<double>&);

}  // namespace plumb::lanes
