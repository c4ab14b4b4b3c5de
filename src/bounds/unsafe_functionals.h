// unsafe_functionals.h: an unsafe set's inequalities as functionals of a network's nodes.
//
// The inequality outputs . y + inputs . x <= bound becomes the functional g = outputs . y + inputs . x - bound. The
// inequality holds exactly where g <= 0 (g < 0, if it is strict). There is one row per inequality, conjunction by
// conjunction.
#pragma once

#include "bounds/backward.h"
#include "property/unsafe_set.h"

namespace plumb::bounds {

struct UnsafeFunctionals {
  Functionals rows;
  std::vector<std::size_t> first;  // conjunction c is rows first[c] .. first[c + 1] - 1
  std::vector<bool> strict;        // of each row

  std::size_t conjunctions() const { return first.size() - 1; }
};

// `bounds` must contain bounds of the network's output and input nodes. Errors of rounded sums are computed from them.
UnsafeFunctionals unsafe_functionals(const RegionBounds& bounds, const property::UnsafeSet& unsafe);

// The functionals with all signs changed. Their lower bounds, negated, are upper bounds on the original ones.
Functionals negated(Functionals functionals);

// How far every point of the region misses the conjunction, at least: the largest of its rows' lower bounds, or minus
// infinity if it has no rows.
double missed_by(const UnsafeFunctionals& unsafe, std::span<const double> lower, std::size_t conjunction);

// Whether the lower bounds refute the conjunction, that is, prove that no point of the region satisfies it.
bool is_refuted(const UnsafeFunctionals& unsafe, std::span<const double> lower, std::size_t conjunction);

}  // namespace plumb::bounds
