// scale.h: the factor S by which the stored numbers of a data set are multiplied, kept exactly.
//
// In:  "1/255", "0.5", "2e-3", "1/127.5": a positive decimal, or a fraction of two.
// Out: raw * S, rounded only once.
//
// Why exactly: 1/255 is not a floating-point number. Multiplying by a rounded 1/255 gives values that differ in the
// last bit from those that other programs compute as b/255, and a verdict is about one input, not about its neighbour.
#pragma once

#include <cstdint>
#include <string>

#include "base/rational.h"

namespace plumb::data {

class Scale {
 public:
  // The factor one: every number stays as it is.
  Scale() = default;

  // Throws ArgumentError if `text` is not a positive number whose numerator and denominator are below 2^67.
  static Scale parse(const std::string& text);

  bool is_one() const { return factor_ == Rational(1); }

  // The float32 nearest to raw * S, ties to even; infinite if the product is too large. `raw` must be finite.
  float nearest_float(double raw) const;

  // The double nearest to raw * S. A subnormal result may be another double than the nearest. `raw` must be finite.
  double nearest_double(double raw) const;

 private:
  struct Product {
    std::uint64_t significand;
    int exponent;
  };

  // magnitude * S as significand * 2^exponent. The significand has `bits` bits or one more and is rounded to odd: its
  // last bit is set if anything was cut off. Rounding it again, to at least two bits fewer, gives the same result as
  // rounding the exact product. `magnitude` must be positive.
  Product product(double magnitude, int bits) const;

  Rational factor_{1};
};

}  // namespace plumb::data
