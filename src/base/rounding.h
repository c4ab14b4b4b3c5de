// rounding.h: the one place that knows how far floating-point arithmetic may be from real arithmetic.
//
// Model: IEEE double, round to nearest, any order of summation, with or without fused multiply-add.
//   fl(a op b) = (a op b)(1 + d) + e,  |d| <= u = 2^-53,  |e| <= 2^-1075 (underflow; zero for + and -).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

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
  if (!(x < std::numeric_limits<double>::infinity())) return x;
  const auto bits = std::bit_cast<std::int64_t>(x + 0.0);  // -0 becomes 0
  return std::bit_cast<double>(bits >= 0 ? bits + 1 : bits - 1);
}
inline double round_down(double x) { return -round_up(-x); }

// Upper bounds on the exact sum and product.
inline double add_up(double a, double b) { return round_up(a + b); }
inline double multiply_up(double a, double b) { return round_up(a * b); }

// gamma(n) = n u / (1 - n u), rounded up: the relative error of a product of n factors (1 + d_i), and of a
// sum of n products relative to the sum of their magnitudes. Valid for n < 2^52; dimensions are far below.
inline double gamma(std::int64_t n) {
  const double nu = static_cast<double>(n) * kUnitRoundoff;  // exact: a power of two times an integer
  return round_up(nu / round_down(1.0 - nu));
}

}  // namespace plumb
