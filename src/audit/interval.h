// interval.h: intervals between two doubles that contain a real number; the arithmetic of the audit.
//
// Sound: every operation rounds outward (base/rounding.h). Exact sums are not moved, so that terms that cancel leave
//        zero. Products are moved outward by one step unless a factor is 0, 1 or -1.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/rounding.h"

namespace plumb::audit {

struct Interval {
  double low = 0, high = 0;

  Interval() = default;
  Interval(double value) : low(value), high(value) {}  // contains exactly this number
  Interval(double from, double to) : low(from), high(to) {}

  bool is_zero() const { return low == 0 && high == 0; }
  bool is_point() const { return low == high; }
};

inline double times_down(double a, double b) {
  if (a == 0 || b == 0) return 0;
  const double product = a * b;
  return std::abs(a) == 1 || std::abs(b) == 1 ? product : round_down(product);
}
inline double times_up(double a, double b) { return -times_down(-a, b); }

inline Interval operator-(const Interval& a) { return {-a.high, -a.low}; }
inline Interval operator+(const Interval& a, const Interval& b) {
  return {sum_down(a.low, b.low), sum_up(a.high, b.high)};
}
inline Interval operator-(const Interval& a, const Interval& b) { return a + (-b); }
inline Interval operator*(const Interval& a, const Interval& b) {
  if (b.is_point()) {
    return b.low >= 0 ? Interval(times_down(a.low, b.low), times_up(a.high, b.low))
                      : Interval(times_down(a.high, b.low), times_up(a.low, b.low));
  }
  return {
      std::min(
          {times_down(a.low, b.low), times_down(a.low, b.high), times_down(a.high, b.low), times_down(a.high, b.high)}),
      std::max({times_up(a.low, b.low), times_up(a.low, b.high), times_up(a.high, b.low), times_up(a.high, b.high)})};
}
// b must not be zero.
inline Interval operator/(const Interval& a, double b) {
  const double p = a.low / b, q = a.high / b;
  return {round_down(std::min(p, q)), round_up(std::max(p, q))};
}

inline double magnitude(const Interval& a) { return std::max(std::abs(a.low), std::abs(a.high)); }

}  // namespace plumb::audit
