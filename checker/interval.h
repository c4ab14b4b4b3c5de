// interval.h: real numbers enclosed by two doubles.
//
// The whole program rounds upward: main() calls round_upward() before anything else, and everything is compiled with
// -frounding-math. The lower end is stored negated, so that both ends are rounded in the same direction: -low is
// rounded upward, which rounds low downward.
//
// Sound: every operation returns an interval that contains all results for numbers of its operands. After an overflow
//        that is the whole line.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstddef>

namespace checker {

inline void round_upward() { std::fesetround(FE_UPWARD); }

inline double larger(double a, double b) { return a < b ? b : a; }
inline double smaller(double a, double b) { return a < b ? a : b; }

struct Interval {
  double minus_low = 0, high = 0;

  Interval() = default;
  Interval(double exactly) : minus_low(-exactly), high(exactly) {}
  static Interval between(double low, double high) {
    Interval result;
    result.minus_low = -low;
    result.high = high;
    return result;
  }

  double low() const { return -minus_low; }
  bool is_point() const { return -minus_low == high; }
  bool is_zero() const { return minus_low == 0 && high == 0; }
  bool is_finite() const { return std::isfinite(minus_low) && std::isfinite(high); }
};

inline Interval operator-(const Interval& a) { return Interval::between(-a.high, a.minus_low); }
inline Interval operator+(const Interval& a, const Interval& b) {
  return Interval::between(-(a.minus_low + b.minus_low), a.high + b.high);
}
inline Interval operator-(const Interval& a, const Interval& b) { return a + (-b); }
inline Interval everything() { return Interval::between(-HUGE_VAL, HUGE_VAL); }
// An infinite end stands for a finite number that is too large: zero times it is zero, and no end is ever a NaN, which
// larger() could drop.
inline double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
[[gnu::always_inline]] inline Interval operator*(const Interval& a, const Interval& b) {  // in the loops of minima
  const double minus_low = larger(larger(product(a.minus_low, b.low()), product(a.minus_low, b.high)),
                                  larger(product(-a.high, b.low()), product(-a.high, b.high)));
  const double high = larger(larger(product(a.low(), b.low()), product(a.low(), b.high)),
                             larger(product(a.high, b.low()), product(a.high, b.high)));
  return Interval::between(-minus_low, high);
}
inline Interval operator/(const Interval& a, const Interval& b) {
  if (!a.is_finite() || !b.is_finite() || (b.low() <= 0 && b.high >= 0)) return everything();
  const double minus_low =
      larger(larger(a.minus_low / b.low(), a.minus_low / b.high), larger(-a.high / b.low(), -a.high / b.high));
  const double high = larger(larger(a.low() / b.low(), a.low() / b.high), larger(a.high / b.low(), a.high / b.high));
  return Interval::between(-minus_low, high);
}
// Of a number that is not negative. The root of a double is rounded upward; one step below is below the true one.
inline Interval square_root(const Interval& a) {
  const double low = std::sqrt(larger(0, a.low())), high = std::sqrt(larger(0, a.high));
  const bool is_exact = low * low == a.low() && -(-low * low) == a.low();  // rounded upward and downward
  return Interval::between(is_exact ? low : std::nextafter(low, 0.0), high);
}

inline Interval larger(const Interval& a, const Interval& b) {
  return Interval::between(larger(a.low(), b.low()), larger(a.high, b.high));
}

// What the templates of the checker ask of a kind of numbers; exact.h has the other kind.
inline double round_down(const Interval& a) { return a.low(); }  // a double that is not above the number
inline double round_up(const Interval& a) { return a.high; }
inline Interval lower_end(const Interval& a) { return a.low(); }
inline bool is_zero(const Interval& a) { return a.is_zero(); }
inline bool is_finite(const Interval& a) { return a.is_finite(); }
// sum_i += factor * row_i
inline void add_multiple(Interval* sum, double factor, const Interval* row, std::size_t count) {
  if (factor >= 0) {
    for (std::size_t i = 0; i < count; ++i) {
      sum[i].minus_low += factor * row[i].minus_low;
      sum[i].high += factor * row[i].high;
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      sum[i].minus_low += -factor * row[i].high;
      sum[i].high += -factor * row[i].minus_low;
    }
  }
}

}  // namespace checker
