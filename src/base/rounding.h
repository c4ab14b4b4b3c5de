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

// Off only in a build that exists to measure what rigour costs (bench/rigour.py); such a build proves nothing.
#ifndef PLUMB_ERROR_TERMS
#define PLUMB_ERROR_TERMS 1
#endif
inline constexpr bool kErrorTerms = PLUMB_ERROR_TERMS != 0;

inline constexpr double kUnitRoundoff = 0x1p-53;
inline constexpr double kSmallestSubnormal = 0x1p-1074;

// The next double above x (std::nextafter, but inlined: it stands in inner loops): an upper bound on the exact result
// of one rounded operation that gave x. Infinity and NaN stay what they are.
inline double round_up(double x) {
  if (!(x < kInfinity)) return x;
  const auto bits = std::bit_cast<std::int64_t>(x + 0.0);  // -0 becomes 0
  return std::bit_cast<double>(bits >= 0 ? bits + 1 : bits - 1);
}
inline double round_down(double x) { return -round_up(-x); }

// Bounds above the exact sum and product: one step up, whether the result was rounded or not. For error terms, which
// need not be tight.
inline double loose_sum_up(double a, double b) { return round_up(a + b); }
inline double loose_product_up(double a, double b) { return round_up(a * b); }

// Directed rounding: the largest double that is not above the exact sum or product, the smallest that is not below.
// Unlike loose_sum_up() and loose_product_up() they leave exact results as they are, so that numbers that cancel give
// zero. An infinite operand stands for a real number about which nothing is known on that side.
inline double sum_down(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum > 0 ? std::numeric_limits<double>::max() : sum;
  const double of_b = sum - a, of_a = sum - of_b;
  const double rest = (a - of_a) + (b - of_b);  // a + b = sum + rest exactly (Knuth)
  // Where a + b does not overflow but sum - a does, rest is not a number: step outward.
  return rest >= 0 ? sum : round_down(sum);
}
inline double sum_up(double a, double b) { return -sum_down(-a, -b); }
inline double product_down(double a, double b) {
  if (a == 0 || b == 0) return 0;
  const double product = a * b;
  if (!std::isfinite(product)) return product > 0 ? std::numeric_limits<double>::max() : product;
  // Above this a product's rest is a double: it has no bits below 2^-1074.
  if (std::abs(product) < 0x1p-960) return round_down(product);
  return std::fma(a, b, -product) >= 0 ? product : round_down(product);
}
inline double product_up(double a, double b) { return -product_down(-a, b); }

// gamma(n) = n u / (1 - n u), rounded up: the relative error of a product of n factors (1 + d_i), and of a
// sum of n products relative to the sum of their magnitudes. Valid for n < 2^52; dimensions are far below.
inline double gamma(std::int64_t n) {
  const double nu = static_cast<double>(n) * kUnitRoundoff;  // exact: a power of two times an integer
  return round_up(nu / round_down(1.0 - nu));
}

}  // namespace plumb
