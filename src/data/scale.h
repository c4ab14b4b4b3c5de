// scale.h: the factor between the numbers a data set stores and the numbers a network wants, kept exactly.
//
// In:  "1/255", "0.5", "2e-3", "1/127.5": a positive decimal, or a fraction of two.
// Out: raw * S rounded once, as if the product were known to all digits.
//
// Why so careful: 1/255 is no floating-point number. Multiplying by a rounded 1/255 gives values that differ
// in the last bit from those other programs compute as b/255, and a verdict is about one input, not about its
// neighbour.
#pragma once

#include <cstdint>
#include <string>

#include "base/rational.h"

namespace plumb::data {

class Scale {
 public:
  // One: every number stays as it is.
  Scale() = default;

  // Throws UsageError if `text` is not a positive number that a Rational can hold.
  static Scale parse(const std::string& text);

  bool is_one() const { return factor_ == Rational(1); }

  // The float32 nearest to raw * S, ties to even; infinite if it is too large for one. `raw` is finite.
  float nearest_float(double raw) const;

  // The double nearest to raw * S, where that is not subnormal. `raw` is finite.
  double nearest_double(double raw) const;

 private:
  struct Product {
    std::uint64_t significand;
    int exponent;
  };

  // magnitude * S = significand * 2^exponent with `bits` or one more bits, rounded to odd: the last bit is
  // set if anything was cut off. Rounding such a number again, to at least two bits fewer, gives what
  // rounding the exact product gives. `magnitude` is positive.
  Product product(double magnitude, int bits) const;

  Rational factor_{1};
};

}  // namespace plumb::data
