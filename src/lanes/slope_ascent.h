// slope_ascent.h: better slopes, multipliers and cut weights for the subproblems in all lanes, by a few steps of
// gradient ascent: what LaneSystem::ascend() takes and returns.
//
// In:  lanes in which something is asked, and choices to start from.
// Out: for each lane the best bound met and the choices that gave it.
//
// The bound is concave in the choices. Let v_k be the coefficient of r_k, and z_k its argument at the relaxation's
// minimiser. The derivative of the bound by a slope is max(v_k, 0) z_k; by the multiplier of an active unit -z_k, of an
// inactive unit z_k; by the weight of a unit's cut min(v_k, 0) (cut - upper line); by the weight of a joint cut its
// excess; by a constraint multiplier the value of the constraint.
//
// Follows: Xu et al. 2021 (optimised slopes), Wang et al. 2021 (multipliers of splits).
#pragma once

#include <memory>

#include "base/limits.h"
#include "lanes/lanes.h"

namespace plumb::lanes {

template <class T>
class LaneSystem;

struct AscentOptions {
  int steps = 20;
  double slope_rate = 0.3, multiplier_rate = 0.1, weight_rate = 0.1;
  double decay = 0.95;  // of all rates, per step
  // The ascent ends when the best bound of each of the first `lanes` lanes is above the target. Infinity means that all
  // steps are taken.
  double target = 0;
  std::int64_t lanes = 1;
  // If given, the ascent ends at its limits. It always takes the first bound, which is minus infinity where the system
  // has reached a limit itself (back_end.h).
  const Budget* budget = nullptr;
};

// What a back end keeps from step to step. Each has its own kind.
struct AscentMemory {
  virtual ~AscentMemory() = default;
};

// Results and working memory of LaneSystem::ascend(). It can be used again, so that nothing is allocated in a loop.
template <class T>
struct Ascent {
  explicit Ascent(const LaneSystem<T>& system);

  LaneRow<T> start;                                                      // the bound before any step
  LaneRow<T> bound;                                                      // the best bound
  LaneTable<T> slope, multiplier, weight, constraint_multiplier, point;  // where it was met
  LaneTable<T> mean_inputs, mean_values;  // sums of the minimisers over the last two thirds of the steps, if kept
  bool keep_means = false;
  std::int64_t means = 0;                // how many minimisers were summed
  std::unique_ptr<AscentMemory> memory;  // made by the first ascent
};

extern template struct Ascent<float>;
extern template struct Ascent<double>;

}  // namespace plumb::lanes
