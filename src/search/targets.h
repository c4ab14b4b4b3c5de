// targets.h: an unsafe set as functionals to be shown positive.
//
// A conjunction is refuted over a region by showing that one of its functionals (bounds/unsafe_functionals.h) is
// positive there.
#pragma once

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

// One target per conjunction, from rigorous lower bounds of all functionals.
std::vector<Target> targets_of(const bounds::UnsafeFunctionals& unsafe, std::span<const double> lower);

}  // namespace plumb::search
