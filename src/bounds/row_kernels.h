// row_kernels.h: the inner loops of backward substitution, in SIMD.
//
// Sums may be taken in any order, with or without fused multiply-add. Each is off by at most gamma(n) times the sum of
// its terms' magnitudes.
#pragma once

#include <cstdint>

namespace plumb::bounds {

// The lines of n consecutive ReLU units (relaxation.h), and the magnitudes of their arguments.
struct ReluRun {
  const double *lower_slope, *upper_slope, *upper_intercept, *magnitude;
};

// Moves coefficients through ReLUs: c is multiplied by the lower slope if it is positive, by the upper slope if it is
// negative. Adds the contribution of the upper intercepts to `constant`, and the sum of |new c| * magnitude to
// `rounded`.
void relax_row(double* coefficients, const ReluRun& units, std::int64_t n, double& constant, double& rounded);

// Adds to `sum` the minimum of c . x over lower <= x <= upper, and to `magnitudes` the sum of its terms' magnitudes.
void minimise_row(const double* coefficients, const double* lower, const double* upper, std::int64_t n, double& sum,
                  double& magnitudes);

}  // namespace plumb::bounds
