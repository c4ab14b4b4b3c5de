// exact.h: real numbers enclosed by two dyadic numbers, m 2^e with integers m and e; nothing is rounded.
//
// The same operations as those of Interval, for the templates of the checker. Division is not among them: quotients are
// enclosed by doubles before they get here.
#pragma once

#include <gmpxx.h>

#include "interval.h"

namespace checker {

class Dyadic {
 public:
  Dyadic() = default;
  Dyadic(double value);  // throws Rejected if it is not finite

  friend Dyadic operator-(const Dyadic& a) { return Dyadic(-a.mantissa_, a.exponent_); }
  friend Dyadic operator+(const Dyadic& a, const Dyadic& b);
  friend Dyadic operator*(const Dyadic& a, const Dyadic& b) {
    return Dyadic(a.mantissa_ * b.mantissa_, a.exponent_ + b.exponent_);
  }
  friend bool operator<(const Dyadic& a, const Dyadic& b) { return (a + (-b)).sign() < 0; }

  int sign() const { return sgn(mantissa_); }
  // The nearest doubles that are not above, and not below, this number; infinite where there is none.
  double down() const;
  double up() const { return -(-*this).down(); }

 private:
  Dyadic(mpz_class mantissa, long exponent) : mantissa_(std::move(mantissa)), exponent_(exponent) {}

  mpz_class mantissa_;
  long exponent_ = 0;
};

struct Exact {
  Dyadic low_end, high_end;
  bool is_point = true;  // then only low_end is set

  Exact() = default;
  Exact(double exactly) : low_end(exactly) {}
  Exact(const Interval& a) : Exact(between(a.low(), a.high)) {}
  explicit Exact(Dyadic exactly) : low_end(std::move(exactly)) {}
  Exact(Dyadic from, Dyadic to) : low_end(std::move(from)), high_end(std::move(to)), is_point(false) {}
  static Exact between(double from, double to) { return from == to ? Exact(from) : Exact(Dyadic(from), Dyadic(to)); }

  const Dyadic& high() const { return is_point ? low_end : high_end; }
};

inline Exact operator-(const Exact& a) { return a.is_point ? Exact(-a.low_end) : Exact(-a.high_end, -a.low_end); }
inline Exact operator+(const Exact& a, const Exact& b) {
  if (a.is_point && b.is_point) return Exact(a.low_end + b.low_end);
  return Exact(a.low_end + b.low_end, a.high() + b.high());
}
inline Exact operator-(const Exact& a, const Exact& b) { return a + (-b); }
Exact operator*(const Exact& a, const Exact& b);
inline Exact larger(const Exact& a, const Exact& b) {
  const auto of = [](const Dyadic& p, const Dyadic& q) { return p < q ? q : p; };
  if (a.is_point && b.is_point) return Exact(of(a.low_end, b.low_end));
  return Exact(of(a.low_end, b.low_end), of(a.high(), b.high()));
}

inline double round_down(const Exact& a) { return a.low_end.down(); }
inline double round_up(const Exact& a) { return a.high().up(); }
inline Exact lower_end(const Exact& a) { return Exact(a.low_end); }
inline bool is_finite(const Exact&) { return true; }
inline bool is_zero(const Exact& a) { return a.is_point && a.low_end.sign() == 0; }
inline void add_multiple(Exact* sum, double factor, const Exact* row, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_zero(row[i])) sum[i] = sum[i] + Exact(factor) * row[i];
  }
}

}  // namespace checker
