#include "network/dyadic.h"

#include <cmath>

namespace plumb::network {
namespace {

struct Scaled {
  long mantissa;  // 53 bits
  std::int64_t exponent;
};

Scaled scaled(double value) {
  constexpr int kDigits = 53;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return {static_cast<long>(std::ldexp(fraction, kDigits)), std::int64_t{exponent} - kDigits};
}

void shift_left(mpz_class& number, std::int64_t bits) {
  mpz_mul_2exp(number.get_mpz_t(), number.get_mpz_t(), static_cast<mp_bitcnt_t>(bits));
}

}  // namespace

Dyadic::Dyadic(double value) {
  if (value == 0) return;
  const auto [mantissa, exponent] = scaled(value);
  // Trailing zeros are dropped, so that mantissas stay short.
  const int zeros = __builtin_ctzl(static_cast<unsigned long>(mantissa));
  mantissa_ = mantissa / (1L << zeros);
  exponent_ = exponent + zeros;
}

Dyadic& Dyadic::operator+=(const Dyadic& other) {
  add(other.mantissa_, other.exponent_);
  return *this;
}

void Dyadic::add_product(double factor, const Dyadic& other) {
  if (factor == 0 || other.sign() == 0) return;
  const auto [mantissa, exponent] = scaled(factor);
  mpz_class product;
  mpz_mul_si(product.get_mpz_t(), other.mantissa_.get_mpz_t(), mantissa);
  add(product, exponent + other.exponent_);
}

void Dyadic::add(const mpz_class& mantissa, std::int64_t exponent) {
  if (sgn(mantissa) == 0) return;
  if (sign() == 0) {
    mantissa_ = mantissa;
    exponent_ = exponent;
  } else if (exponent >= exponent_) {
    mpz_class moved = mantissa;
    shift_left(moved, exponent - exponent_);
    mantissa_ += moved;
  } else {
    shift_left(mantissa_, exponent_ - exponent);
    exponent_ = exponent;
    mantissa_ += mantissa;
  }
}

bool less(const Dyadic& a, const Dyadic& b) {
  Dyadic difference = a;
  difference.add_product(-1, b);
  return difference.sign() < 0;
}

}  // namespace plumb::network
