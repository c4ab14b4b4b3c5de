#include "network/coefficients.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/rounding.h"
#include "tensor/matrix_product.h"

namespace plumb::network {
namespace {

// The error of c = fl(a b) where the errors of a and b are within ea and eb, |a| <= max_a and |b| <= max_b:
//   |true a true b - a b| <= |a| |db| + |b| |da| + |da| |db|
//                         <= (ra + rb + ra rb) |a b| + absolute part,
// and |a b| <= |c| / (1 - u) plus underflow. `inexact` says whether any product was rounded.
CoefficientError product_error(double max_a, const CoefficientError& ea, double max_b, const CoefficientError& eb,
                               bool inexact) {
  double relative = loose_sum_up(loose_sum_up(ea.relative, eb.relative), loose_product_up(ea.relative, eb.relative));
  if (ea.relative == 0 && eb.relative == 0) relative = 0;
  double absolute = 0;
  if (ea.absolute != 0 || eb.absolute != 0) {
    const double true_a = loose_sum_up(max_a, loose_sum_up(loose_product_up(ea.relative, max_a), ea.absolute));
    const double true_b = loose_sum_up(max_b, loose_sum_up(loose_product_up(eb.relative, max_b), eb.absolute));
    absolute = loose_sum_up(loose_product_up(true_a, eb.absolute), loose_product_up(ea.absolute, true_b));
  }
  if (inexact) {
    relative = loose_sum_up(loose_sum_up(relative, gamma(1)), loose_product_up(relative, gamma(1)));
    absolute = loose_sum_up(absolute, kSmallestSubnormal);
  }
  return {relative, absolute};
}

// True if s = fl(a + b) is exactly a + b: Knuth's TwoSum computes the rounding error without error.
bool is_exact_sum(double a, double b, double s) {
  const double b_part = s - a;
  const double a_part = s - b_part;
  return (a - a_part) + (b - b_part) == 0;
}

// True if p = fl(a b) is exactly a b: a fused multiply-add computes the rounding error. False if that could underflow.
bool is_exact_product(double a, double b, double p) {
  if (a == 0 || b == 0) return true;
  return std::abs(p) > 0x1p-960 && std::fma(a, b, -p) == 0;
}

}  // namespace

double Coefficients::max_abs() const {
  double largest = 0;
  for (const double v : values()) largest = std::max(largest, std::abs(v));
  return largest;
}

Coefficients multiply(const Coefficients& a, const Coefficients& b, std::int64_t period) {
  std::vector<double> result(index(a.size()));
  bool inexact = false;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double factor = b[i / period % b.size()];
    const double p = a[i] * factor;
    inexact = inexact || !is_exact_product(a[i], factor, p);
    result[index(i)] = p;
  }
  return Coefficients(std::move(result), product_error(a.max_abs(), a.error(), b.max_abs(), b.error(), inexact));
}

Coefficients divide(const Coefficients& a, const Coefficients& b, std::int64_t period) {
  if (b.error().absolute != 0 || b.error().relative >= 0.5 ||
      std::any_of(b.values().begin(), b.values().end(), [](double v) { return v == 0; })) {
    throw DataError("", "division by a constant that is or may be zero");
  }
  std::vector<double> result(index(a.size()));
  bool inexact = false;
  double smallest = kInfinity;
  for (const double v : b.values()) smallest = std::min(smallest, std::abs(v));
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double divisor = b[i / period % b.size()];
    const double q = a[i] / divisor;
    inexact = inexact || !is_exact_product(q, divisor, a[i]);
    result[index(i)] = q;
  }
  // 1 / (b (1 + d)) = (1 / b)(1 + d'), |d'| <= |d| / (1 - |d|) <= 2 |d| for |d| <= 1/2.
  const CoefficientError reciprocal{2 * b.error().relative, 0};
  return Coefficients(std::move(result),
                      product_error(a.max_abs(), a.error(), round_up(1 / smallest), reciprocal, inexact));
}

Coefficients add(const Coefficients& a, const Coefficients& b) {
  std::vector<double> result(index(a.size()));
  bool inexact = false;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double term = b[i % b.size()];
    const double s = a[i] + term;
    inexact = inexact || !is_exact_sum(a[i], term, s);
    result[index(i)] = s;
  }
  CoefficientError error;
  if (inexact) error.relative = gamma(1);
  if (a.error() != CoefficientError{} || b.error() != CoefficientError{}) {
    const double from_a = loose_sum_up(loose_product_up(a.error().relative, a.max_abs()), a.error().absolute);
    const double from_b = loose_sum_up(loose_product_up(b.error().relative, b.max_abs()), b.error().absolute);
    error.absolute = loose_sum_up(from_a, from_b);
  }
  return Coefficients(std::move(result), error);
}

Coefficients negate(const Coefficients& a) {
  std::vector<double> result(a.values().begin(), a.values().end());
  for (double& v : result) v = -v;
  return Coefficients(std::move(result), a.error());
}

Coefficients square_root(const Coefficients& a) {
  if (a.error().absolute != 0 || a.error().relative >= 0.5 ||
      std::any_of(a.values().begin(), a.values().end(), [](double v) { return v < 0; })) {
    throw DataError("", "square root of a constant that is or may be negative");
  }
  std::vector<double> result(index(a.size()));
  bool inexact = false;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double r = std::sqrt(a[i]);
    inexact = inexact || !is_exact_product(r, r, a[i]);
    result[index(i)] = r;
  }
  // sqrt(a (1 + d)) = sqrt(a)(1 + d'), |d'| <= |d|; a square root never underflows.
  double relative = a.error().relative;
  if (inexact) relative = loose_sum_up(loose_sum_up(relative, gamma(1)), loose_product_up(relative, gamma(1)));
  return Coefficients(std::move(result), {relative, 0});
}

Coefficients matrix_product(const Coefficients& a, const Coefficients& b, std::int64_t m, std::int64_t k,
                            std::int64_t n) {
  std::vector<double> result(index(m * n));
  matrix_product(tensor::Transposed::kNo, m, n, k, a.values().data(), b.values().data(), tensor::Result::kOverwrite,
                 result.data());
  // Entry (i, j) is off by at most (gamma(k) + r + r gamma(k)) sum_l |a_il b_lj| plus the absolute parts, where r is
  // the relative error of a product a_il b_lj. The sums of absolute values are computed too, and rounded up.
  std::vector<double> abs_a(a.values().begin(), a.values().end()), abs_b(b.values().begin(), b.values().end());
  for (double& v : abs_a) v = std::abs(v);
  for (double& v : abs_b) v = std::abs(v);
  std::vector<double> magnitude(index(m * n));
  matrix_product(tensor::Transposed::kNo, m, n, k, abs_a.data(), abs_b.data(), tensor::Result::kOverwrite,
                 magnitude.data());
  double largest = 0;
  for (const double v : magnitude) largest = std::max(largest, v);
  largest = loose_product_up(largest, 1 + 2 * gamma(k));

  const CoefficientError term = product_error(a.max_abs(), a.error(), b.max_abs(), b.error(), false);
  const double relative =
      loose_sum_up(loose_sum_up(term.relative, gamma(k)), loose_product_up(term.relative, gamma(k)));
  const double terms = static_cast<double>(k);
  const double underflow = loose_product_up(terms, kSmallestSubnormal);
  const double absolute = loose_sum_up(loose_product_up(relative, largest),
                                       loose_sum_up(loose_product_up(terms, term.absolute), underflow));
  return Coefficients(std::move(result), {0, absolute});
}

Coefficients gather(const Coefficients& a, std::span<const std::int64_t> indices) {
  std::vector<double> result(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) result[i] = a[indices[i]];
  return Coefficients(std::move(result), a.error());
}

}  // namespace plumb::network
