// reductions.h: sums over vectors, in an order that SIMD likes.
//
// Any order of summation, with or without fused multiply-add: off by at most gamma(n) times the sum of magnitudes.
#pragma once

#include <cstdint>

namespace plumb::tensor {

// sum_i a_i b_i
double dot(const double* a, const double* b, std::int64_t n);
// sum_i |a_i| b_i
double dot_abs(const double* a, const double* b, std::int64_t n);

}  // namespace plumb::tensor
