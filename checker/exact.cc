#include "exact.h"

#include "error.h"

namespace checker {

Dyadic::Dyadic(double value) {
  if (!std::isfinite(value)) throw Rejected("numbers overflow");
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // a multiple of 2^-53
  mantissa_ = std::ldexp(fraction, 53);
  exponent_ = exponent - 53;
}

Dyadic operator+(const Dyadic& a, const Dyadic& b) {
  if (a.sign() == 0) return b;
  if (b.sign() == 0) return a;
  if (a.exponent_ > b.exponent_) return b + a;
  mpz_class sum = b.mantissa_;
  mpz_mul_2exp(sum.get_mpz_t(), sum.get_mpz_t(), static_cast<mp_bitcnt_t>(b.exponent_ - a.exponent_));
  sum += a.mantissa_;
  return Dyadic(std::move(sum), a.exponent_);
}

double Dyadic::down() const {
  const std::size_t bits = mpz_sizeinbase(mantissa_.get_mpz_t(), 2);
  const long top = exponent_ + static_cast<long>(bits);  // the magnitude is below 2^top
  if (sign() == 0) return 0;
  if (top > 1024) return sign() > 0 ? 0x1.fffffffffffffp1023 : -HUGE_VAL;
  // Keep multiples of 2^unit, where unit is that of doubles of this magnitude, and drop the rest downward.
  const long unit = top - 53 < -1074 ? -1074 : top - 53;
  mpz_class kept;
  if (unit > exponent_)
    mpz_fdiv_q_2exp(kept.get_mpz_t(), mantissa_.get_mpz_t(), static_cast<mp_bitcnt_t>(unit - exponent_));
  else
    mpz_mul_2exp(kept.get_mpz_t(), mantissa_.get_mpz_t(), static_cast<mp_bitcnt_t>(exponent_ - unit));
  return std::ldexp(kept.get_d(), static_cast<int>(unit));  // at most 53 bits, or a power of two
}

Exact operator*(const Exact& a, const Exact& b) {
  if (a.is_point && b.is_point) return Exact(a.low_end * b.low_end);
  if (a.is_point) return b * a;
  if (b.is_point) {
    if (b.low_end.sign() == 0) return Exact();
    Dyadic p = a.low_end * b.low_end, q = a.high_end * b.low_end;
    return b.low_end.sign() > 0 ? Exact(std::move(p), std::move(q)) : Exact(std::move(q), std::move(p));
  }
  Dyadic low = a.low_end * b.low_end, high = low;
  for (const Dyadic& product : {a.low_end * b.high_end, a.high_end * b.low_end, a.high_end * b.high_end}) {
    if (product < low) low = product;
    if (high < product) high = product;
  }
  return Exact(std::move(low), std::move(high));
}

}  // namespace checker
