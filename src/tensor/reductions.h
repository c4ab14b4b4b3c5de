// reductions.h: sums over vectors, computed in SIMD lanes.
//
// Sums are taken in any order, with or without fused multiply-add. The error is at most gamma(n) times the sum of the
// terms' absolute values.
#pragma once

#include <cstdint>

namespace plumb::tensor {

// sum_i a_i b_i
double dot(const double* a, const double* b, std::int64_t n);
// sum_i |a_i| b_i
double dot_abs(const double* a, const double* b, std::int64_t n);

}  // namespace plumb::tensor
