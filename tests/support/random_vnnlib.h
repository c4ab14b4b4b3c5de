// random_vnnlib.h: VNN-LIB properties of any structure, difficult on purpose.
//
// The properties may or may not mention outputs. Their bounds stand in one assertion or several, and may be redundant
// or contradictory. Regions may be empty, points, segments, or thinner than the distance between two floats. "and" and
// "or" are nested. Comparisons involve inputs, outputs, both, and constants. Thresholds are attained exactly or missed
// by a tiny amount.
#pragma once

#include <string>

#include "support/exact_formula.h"
#include "support/random_network.h"

namespace plumb::testing {

struct VnnlibQuestion {
  ExactFormula formula;
  std::string text;  // the formula as text
};

// Every point that satisfies the formula has coordinates of magnitude at most this.
inline constexpr int kVnnlibReach = 1000;

VnnlibQuestion random_vnnlib(Random& random, const network::Network& network);

}  // namespace plumb::testing
