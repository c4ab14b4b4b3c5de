// targets.h: an unsafe set as functionals to be shown positive.
//
// A conjunction is refuted over a region by showing that one of its functionals (bounds/unsafe_functionals.h) is
// positive there.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "bounds/unsafe_functionals.h"

namespace plumb::search {

// A conjunction, with the functional that comes closest to refuting it.
struct Target {
  std::size_t conjunction = 0;
  std::int64_t first = 0, last = 0;  // its functionals, a half-open range
  std::int64_t best = 0;             // of them, the one with the largest lower bound
  double bound = 0;                  // that lower bound, rigorous
  bool refuted = false;
};

// The targets of one piece, with the best bounds found so far.
class PieceTargets {
 public:
  // Takes rigorous lower bounds of all functionals, where they are better than those before.
  void take(const bounds::UnsafeFunctionals& unsafe, std::span<const double> lower);
  // The conjunction was refuted by other means than a bound.
  void refute(std::size_t conjunction) { targets_[conjunction].refuted = true; }

  const std::vector<Target>& all() const { return targets_; }  // by conjunction
  bool all_refuted() const;
  // The targets that are not refuted, worst bound first.
  std::vector<Target> open() const;

  // Minus infinity before the first bounds are taken.
  double worst_bound() const;
  // The margin that is proven once all targets are refuted. A target that was refuted by closing its subproblems may
  // still have a negative bound, but its margin is at least zero.
  double proven_margin() const { return std::max(0.0, worst_bound()); }

 private:
  std::vector<Target> targets_;
};

}  // namespace plumb::search
