// random_vnnlib.h: VNN-LIB properties of any structure, made to be difficult.
//
// With and without outputs: bounds in one assertion or several, redundant or contradictory; regions that are empty,
// points, segments, or thinner than two floats are apart; nested "and" and "or"; comparisons of inputs, outputs, both,
// and constants; thresholds that are attained exactly, or missed by next to nothing.
#pragma once

#include <string>

#include "support/exact_formula.h"
#include "support/random_network.h"

namespace plumb::testing {

struct VnnlibQuestion {
  ExactFormula formula;
  std::string text;  // the same, written
};

// Every point that satisfies the formula has coordinates of magnitude at most this.
inline constexpr int kVnnlibReach = 1000;

VnnlibQuestion random_vnnlib(Random& random, const network::Network& network);

}  // namespace plumb::testing
