// bounded_sum.h: a sum of products, with rigorous bounds on it.
//
// Sound: |computed - true| <= gamma(n + k) M + underflow for n products summed in any order, where M is the sum of the
//        absolute values of the products, and each product may carry k earlier roundings in its factors. M is computed
//        too, but the computed value is at least (1 - gamma(n + k)) M. Using gamma(2 (n + k)) makes up for that, as
//        gamma/(1 - gamma) <= gamma(2 (n + k)). Each product may lose 2^-1075 to underflow; twice as much is allowed
//        for, because the sum rounds it again.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/numbers.h"
#include "base/rounding.h"

namespace plumb {

class BoundedSum {
 public:
  explicit BoundedSum(std::int64_t roundings_in_factors = 0) : roundings_(roundings_in_factors) {}

  void add_product(double a, double b) {
    const double product = a * b;
    value_ += product;
    magnitude_ += std::abs(product);
    terms_ += a != 0 && b != 0 ? 1 : 0;  // adding zero rounds nothing
  }

  // Widens the bounds by `error`, for a term of the sum that is known only to within `error`.
  void add_error(double error) { error_ = loose_sum_up(error_, error); }

  // Infinite if an intermediate result overflowed.
  double lower() const { return terms_ == 0 ? 0 - error_ : finite_or(round_down(value_ - uncertainty()), -kInfinity); }
  double upper() const { return terms_ == 0 ? error_ : finite_or(round_up(value_ + uncertainty()), kInfinity); }

 private:
  double uncertainty() const {
    const double underflow = static_cast<double>(terms_) * kSmallestSubnormal;
    const double rounding = loose_product_up(gamma(2 * (terms_ + roundings_)), magnitude_);
    return loose_sum_up(loose_sum_up(rounding, underflow), error_);
  }

  static double finite_or(double bound, double otherwise) { return std::isfinite(bound) ? bound : otherwise; }

  std::int64_t roundings_;
  std::int64_t terms_ = 0;
  double value_ = 0, magnitude_ = 0, error_ = 0;
};

}  // namespace plumb
