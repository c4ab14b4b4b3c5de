// exact_judge.h: whether a point is unsafe over the reals, whatever floating point says about it.
//
// In:  a network, a single point (a box or an affine image without width), an unsafe set.
// Out: unsafe, safe, or undecided.
//
// Rigorous bounds over the point settle nearly all points: their width is that of the rounding. Where the point lies
// within that of a boundary, the stored network is evaluated in exact arithmetic, if its coefficients are exact and it
// is not too large.
//
// Sound: both answers are proven, for the real-valued function of the stored weights.
#pragma once

#include "bounds/region_bounds.h"
#include "network/exact_evaluator.h"
#include "property/region.h"
#include "property/unsafe_set.h"

namespace plumb::attack {

enum class ExactAnswer { kUnsafe, kSafe, kUndecided };

// Immutable; may be shared by threads.
class ExactJudge {
 public:
  // Keeps references: network and judge must live as long as what is made from them.
  explicit ExactJudge(const network::Network& network);

  // `point` is a Box, or an AffineImage without inequalities, whose lower and upper sides are equal.
  ExactAnswer judge(const property::SimpleRegion& point, const property::UnsafeSet& unsafe) const;

  // Whether bounds prove all points of a region unsafe, by the same conjunction.
  bool proves_all_unsafe(const property::SimpleRegion& region, const property::UnsafeSet& unsafe) const {
    return judge_by_bounds(region, unsafe) == ExactAnswer::kUnsafe;
  }

  // No point of `region`, usually a single one, has a larger margin (of verify/worst_margin.h) than this.
  double margin_at_most(const property::SimpleRegion& region, const property::UnsafeSet& unsafe) const;

  const bounds::BoundedNetwork& bounded_network() const { return bounded_; }

 private:
  ExactAnswer judge_by_bounds(const property::SimpleRegion& point, const property::UnsafeSet& unsafe) const;
  ExactAnswer judge_exactly(const property::SimpleRegion& point, const property::UnsafeSet& unsafe) const;

  bounds::BoundedNetwork bounded_;
  network::ExactEvaluator exact_;
};

}  // namespace plumb::attack
