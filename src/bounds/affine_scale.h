// affine_scale.h: how large an affine operation's sums can become over a region. All bounds on rounding errors are
// computed from this.
//
// For y = W x + b over a region with |x_j| <= M_j:
//   magnitude_i >= sum_j |W_ij| M_j + |b_i|,              rounded up;
//   slack_i     >= |(true W - W) x + (true b - b)|_i,     the effect of errors in the stored coefficients.
//
// One backward step turns a row r over y into r W over x and a constant r . b. In floating point, in any order of
// summation and with or without fused multiply-add, every entry of r W is off by at most gamma(n) sum_i |r_i||W_ij|, so
// the functional's value is off by at most gamma(n) sum_i |r_i| magnitude_i. One dot product bounds the error of the
// step.
#pragma once

#include <vector>

#include "bounds/affine_map.h"

namespace plumb::bounds {

struct AffineScale {
  std::vector<double> magnitude;
  std::vector<double> slack;  // empty if all coefficients are exact
};

// `arguments` holds the magnitudes M of each argument's elements.
AffineScale affine_scale(const AffineMap& map, const std::vector<std::vector<double>>& arguments);

// An upper bound on the sum of these non-negative numbers.
double total_above(std::span<const double> values);

}  // namespace plumb::bounds
