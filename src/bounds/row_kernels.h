// row_kernels.h: the inner loops of backward substitution, in SIMD.
//
// Sums are taken in any order, with or without fused multiply-add: each is off by at most gamma(n) times the sum of its
// terms' magnitudes.
#pragma once

#include <cstdint>

namespace plumb::bounds {

// Lines of n neighbouring ReLU units (relaxation.h), and how large their arguments can be.
struct ReluRun {
  const double *lower_slope, *upper_slope, *upper_intercept, *magnitude;
};

// Moves coefficients through ReLUs: c becomes c times the lower slope where it is positive, the upper slope where it is
// negative. Adds to `constant` what the upper intercepts contribute, to `rounded` the sum of |new c| magnitude.
void relax_row(double* coefficients, const ReluRun& units, std::int64_t n, double& constant, double& rounded);

// Adds to `sum` the minimum of c . x over lower <= x <= upper, and to `magnitudes` the sum of its terms' magnitudes.
void minimise_row(const double* coefficients, const double* lower, const double* upper, std::int64_t n, double& sum,
                  double& magnitudes);

}  // namespace plumb::bounds
