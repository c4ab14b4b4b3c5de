// dyadic.h: numbers m 2^e with an integer m of any length, for sums and products of doubles without any rounding.
//
// Sound: every operation is exact. Numbers made from doubles must be finite.
#pragma once

#include <gmpxx.h>

#include <cstdint>

namespace plumb::network {

class Dyadic {
 public:
  Dyadic() = default;
  explicit Dyadic(double value);

  // -1, 0 or 1.
  int sign() const { return sgn(mantissa_); }

  Dyadic& operator+=(const Dyadic& other);
  // Adds factor * other.
  void add_product(double factor, const Dyadic& other);

 private:
  void add(const mpz_class& mantissa, std::int64_t exponent);

  mpz_class mantissa_;
  std::int64_t exponent_ = 0;
};

// Whether a < b.
bool less(const Dyadic& a, const Dyadic& b);

}  // namespace plumb::network
