// exact_sum.h: the sign of a sum of products of doubles, without any rounding.
//
// A product of two doubles is a multiple of 2^-2148 below 2^2048, so a fixed-point number of some 4,500 bits holds any
// sum of them exactly (Kulisch). Positive and negative terms are summed separately, so that a carry rarely runs over
// more than one word. There is room for 2^60 terms and a factor below 2^254 (the square of a rational's denominator).
//
// Sound: every operation is exact. Numbers must be finite.
#pragma once

#include <array>
#include <cstdint>

#include "base/rational.h"

namespace plumb {

class ExactSum {
 public:
  void add(double a) { add_product(a, 1); }
  void subtract(double a) { add_product(a, -1); }
  void add_product(double a, double b);

  // Multiplies the sum of everything added so far. The product of all factors must stay below 2^254.
  void multiply(Rational::Integer factor);

  // -1, 0 or 1.
  int sign() const;

 private:
  static constexpr int kLowestBit = -2176;  // 34 whole words below the binary point
  static constexpr std::size_t kWords = 72;
  using Magnitude = std::array<std::uint64_t, kWords>;

  static void multiply(Magnitude& magnitude, Rational::Integer factor);

  Magnitude positive_{}, negative_{};
};

// An integer as the sum of three doubles.
using SplitInteger = std::array<double, 3>;
SplitInteger split(Rational::Integer value);

}  // namespace plumb
