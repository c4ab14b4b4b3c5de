// exact_judge.h: decides whether a point is unsafe over the reals, independently of floating-point evaluation.
//
// In:  a network, a single point (a box or an affine image without width), an unsafe set.
// Out: unsafe, safe, or undecided.
//
// Rigorous bounds over the point decide nearly all points, because only rounding makes them wide. If the point is
// nearer than their width to the boundary of the unsafe set, the stored network is evaluated in exact arithmetic,
// provided that its coefficients are exact and it is not too large.
//
// Sound: `unsafe` and `safe` are proven, for the real-valued function of the stored weights.
#pragma once

#include <memory>

#include "base/limits.h"
#include "bounds/region_bounds.h"
#include "network/exact_evaluator.h"
#include "property/region.h"
#include "property/unsafe_set.h"

namespace plumb::attack {

enum class ExactAnswer { kUnsafe, kSafe, kUndecided };

// Immutable; may be shared by threads.
class ExactJudge {
 public:
  explicit ExactJudge(std::shared_ptr<const network::Network> network);

  // `point` is a Box, or an AffineImage without inequalities, whose lower and upper sides are equal.
  // Once the budget has reached a limit, the answer is that the point is undecided; nullptr means no limit.
  ExactAnswer judge(const property::SimpleRegion& point, const property::UnsafeSet& unsafe,
                    const Budget* budget = nullptr) const;

  // Whether bounds prove all points of a region unsafe, by the same conjunction.
  bool proves_all_unsafe(const property::SimpleRegion& region, const property::UnsafeSet& unsafe) const {
    return judge_by_bounds(region, unsafe, nullptr) == ExactAnswer::kUnsafe;
  }

  // An upper bound on the margin (see verify/worst_margin.h) of all points of `region`, which is usually a single
  // point.
  double margin_at_most(const property::SimpleRegion& region, const property::UnsafeSet& unsafe) const;

  const std::shared_ptr<const bounds::BoundedNetwork>& bounded_network() const { return bounded_; }

 private:
  ExactAnswer judge_by_bounds(const property::SimpleRegion& point, const property::UnsafeSet& unsafe,
                              const Budget* budget) const;
  ExactAnswer judge_exactly(const property::SimpleRegion& point, const property::UnsafeSet& unsafe) const;

  std::shared_ptr<const bounds::BoundedNetwork> bounded_;
  network::ExactEvaluator exact_;
};

}  // namespace plumb::attack
