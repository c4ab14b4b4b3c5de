// slack.h: how far a point is inside an unsafe set. Attacks increase the slack, and witnesses are judged by it.
//
// The slack of an inequality is bound - (outputs . y + inputs . x); of a conjunction the least of its inequalities'; of
// an unsafe set the largest of its conjunctions'. A point is unsafe if its slack is positive, and not unsafe if it is
// negative. If it is zero, the point is unsafe unless an inequality that is tight there is strict. The arithmetic is
// plain double, in the same order as in is_unsafe(), so that the signs agree.
#pragma once

#include <span>
#include <vector>

#include "property/unsafe_set.h"

namespace plumb::attack {

// The slack is infinite if there are no inequalities. NaN counts as minus infinity.
struct ConjunctionSlack {
  double value;
  std::size_t inequality;  // the one with the least slack; meaningless if there is none
};
ConjunctionSlack slack(const property::Conjunction& conjunction, std::span<const double> inputs,
                       std::span<const double> outputs);

// The slack is minus infinity if there are no conjunctions.
struct UnsafeSlack {
  double value;
  std::size_t conjunction;  // the one with the largest slack; meaningless if there is none
};
UnsafeSlack slack(const property::UnsafeSet& unsafe, std::span<const double> inputs, std::span<const double> outputs);

}  // namespace plumb::attack
