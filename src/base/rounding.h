// rounding.h: the one place that knows how far floating-point arithmetic may be from real arithmetic.
//
// Model: IEEE double, round to nearest, any order of summation, with or without fused multiply-add.
//   fl(a op b) = (a op b)(1 + d) + e,  |d| <= u = 2^-53,  |e| <= 2^-1075 (underflow; zero for + and -).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/numbers.h"

namespace plumb {

// 0 only in builds that measure what rigour costs (bench/rigour.py). Such a build proves nothing.
#ifndef PLUMB_ERROR_TERMS
#define PLUMB_ERROR_TERMS 1
#endif
inline constexpr bool kErrorTerms = PLUMB_ERROR_TERMS != 0;

inline constexpr double kUnitRoundoff = 0x1p-53;
inline constexpr double kSmallestSubnormal = 0x1p-1074;

// The next double above x: an upper bound on the exact result of an operation that was rounded to x. Infinity and NaN
// are returned unchanged. Does what std::nextafter does, but is inlined for inner loops.
inline double round_up(double x) {
  if (!(x < kInfinity)) return x;
  const auto bits = std::bit_cast<std::int64_t>(x + 0.0);  // -0 becomes 0
  return std::bit_cast<double>(bits >= 0 ? bits + 1 : bits - 1);
}
inline double round_down(double x) { return -round_up(-x); }

// Upper bounds on the exact sum and product: the next double above the computed result, even if that was exact. For
// error terms, which need not be tight.
inline double loose_sum_up(double a, double b) { return round_up(a + b); }
inline double loose_product_up(double a, double b) { return round_up(a * b); }

// Directed rounding: the largest double that is not above the exact sum or product, and the smallest that is not below
// it. Unlike loose_sum_up() and loose_product_up(), these functions leave exact results unchanged, so that numbers that
// cancel give zero. An infinite operand stands for a real number that is not bounded on that side.
inline double sum_down(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum > 0 ? std::numeric_limits<double>::max() : sum;
  const double of_b = sum - a, of_a = sum - of_b;
  const double rest = (a - of_a) + (b - of_b);  // a + b = sum + rest exactly (Knuth)
  // If sum - a overflows although a + b does not, rest is NaN, the comparison is false, and the result is rounded down.
  return rest >= 0 ? sum : round_down(sum);
}
inline double sum_up(double a, double b) { return -sum_down(-a, -b); }
inline double product_down(double a, double b) {
  if (a == 0 || b == 0) return 0;
  const double product = a * b;
  if (!std::isfinite(product)) return product > 0 ? std::numeric_limits<double>::max() : product;
  // From this magnitude on, the rounding error of a product is itself a double: it has no bits below 2^-1074.
  if (std::abs(product) < 0x1p-960) return round_down(product);
  return std::fma(a, b, -product) >= 0 ? product : round_down(product);
}
inline double product_up(double a, double b) { return -product_down(-a, b); }

// gamma(n) = n u / (1 - n u), rounded up. It bounds the relative error of a product of n factors (1 + d_i), and the
// error of a sum of n products relative to the sum of their absolute values. Valid for n < 2^52; dimensions are far
// below that.
inline double gamma(std::int64_t n) {
  const double nu = static_cast<double>(n) * kUnitRoundoff;  // exact: a power of two times an integer
  return round_up(nu / round_down(1.0 - nu));
}

// The same for sums and products in float, whose unit round-off is 2^-24. Valid for n < 2^23.
inline double gamma_float(std::int64_t n) {
  const double nu = static_cast<double>(n) * 0x1p-24;
  return round_up(nu / round_down(1.0 - nu));
}

}  // namespace plumb
