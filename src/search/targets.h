// targets.h: an unsafe set as functionals to be shown positive.
//
// An inequality outputs . y + inputs . x <= bound is the functional g = outputs . y + inputs . x - bound; a conjunction
// is unsafe where all of its functionals are at most zero (below zero, where strict), so it is refuted over a region by
// showing one of them positive there.
#pragma once

#include <span>
#include <vector>

#include "bounds/backward.h"
#include "property/unsafe_set.h"

namespace plumb {

// Rows over the output and input nodes, one an inequality, conjunction after conjunction.
Functionals unsafe_functionals(const RegionBounds& bounds, const UnsafeSet& unsafe);

// A conjunction, with the functional that comes closest to refuting it.
struct Target {
  std::size_t conjunction = 0;
  std::int64_t first = 0, last = 0;  // its functionals; half-open
  std::int64_t best = 0;             // of them, the one with the largest lower bound
  double bound = 0;                  // that bound, rigorous
  bool refuted = false;
};

// From rigorous lower bounds of unsafe_functionals().
std::vector<Target> targets_of(const UnsafeSet& unsafe, std::span<const double> lower);

}  // namespace plumb
