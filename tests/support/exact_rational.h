// exact_rational.h: the rationals of Plumb as those of GMP.
#pragma once

#include <gmpxx.h>

#include "base/rational.h"

namespace plumb::testing {

inline mpq_class exact(const Rational& r) {
  const auto whole = [](Rational::Integer n) -> mpz_class {
    return mpz_class(static_cast<unsigned long>(n >> 64)) * mpz_class("18446744073709551616") +
           mpz_class(static_cast<unsigned long>(n));
  };
  mpq_class value(whole(r.numerator()), whole(r.denominator()));
  value.canonicalize();
  return r.is_negative() ? mpq_class(-value) : value;
}

}  // namespace plumb::testing
