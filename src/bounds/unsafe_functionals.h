// unsafe_functionals.h: an unsafe set's inequalities as functionals of a network's nodes.
//
// The inequality outputs . y + inputs . x <= bound is the functional g = outputs . y + inputs . x - bound, at most zero
// where it holds. One row an inequality, conjunction by conjunction.
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

// The bounds must hold those of the network's output and input nodes (errors of rounded sums rest on them).
UnsafeFunctionals unsafe_functionals(const RegionBounds& bounds, const property::UnsafeSet& unsafe);

// The same with all signs changed: lower bounds of it are upper bounds, negated.
Functionals negated(Functionals functionals);

// How far a conjunction is missed everywhere: the largest of its rows' lower bounds, minus infinity if it has none.
double missed_by(const UnsafeFunctionals& unsafe, std::span<const double> lower, std::size_t conjunction);

// Whether the lower bounds prove that no point of the region satisfies the conjunction.
bool is_excluded(const UnsafeFunctionals& unsafe, std::span<const double> lower, std::size_t conjunction);

}  // namespace plumb::bounds
