// slack.h: how far a point is inside an unsafe set: what attacks increase and witnesses are judged by.
//
// The slack of an inequality is bound - (outputs . y + inputs . x); of a conjunction the least of its inequalities'; of
// an unsafe set the largest of its conjunctions'. The set holds where the slack is positive, and does not where it is
// negative; zero is a tie, which holds unless an inequality is strict. Plain double arithmetic, in the order of
// is_unsafe(): the signs agree.
#pragma once

#include <span>
#include <vector>

#include "property/unsafe_set.h"

namespace plumb::attack {

// Infinite without inequalities. NaN counts as minus infinity.
struct ConjunctionSlack {
  double value;
  std::size_t inequality;  // the one that decides; meaningless if there is none
};
ConjunctionSlack slack(const property::Conjunction& conjunction, std::span<const double> inputs,
                       std::span<const double> outputs);

// Minus infinity without conjunctions.
struct UnsafeSlack {
  double value;
  std::size_t conjunction;  // the one that decides; meaningless if there is none
};
UnsafeSlack slack(const property::UnsafeSet& unsafe, std::span<const double> inputs, std::span<const double> outputs);

}  // namespace plumb::attack
