// targets.h: an unsafe set as functionals to be shown positive.
//
// A conjunction is refuted over a region by showing one of its inequalities' functionals (bounds/unsafe_functionals.h)
// positive there.
#pragma once

#include <span>
#include <vector>

#include "bounds/unsafe_functionals.h"

namespace plumb::search {

// A conjunction, with the functional that comes closest to refuting it.
struct Target {
  std::size_t conjunction = 0;
  std::int64_t first = 0, last = 0;  // its functionals; half-open
  std::int64_t best = 0;             // of them, the one with the largest lower bound
  double bound = 0;                  // that bound, rigorous
  bool refuted = false;
};

// From rigorous lower bounds of the functionals.
std::vector<Target> targets_of(const bounds::UnsafeFunctionals& unsafe, std::span<const double> lower);

}  // namespace plumb::search
