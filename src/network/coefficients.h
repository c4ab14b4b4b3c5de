// coefficients.h: the numbers of an affine map, and how far they may be from the true ones.
//
// The true network is the real-valued function of its stored weights. A stored weight is an exact double. A folded one
// (batch normalisation, x/255, products of constants) was rounded. Coefficients carry a bound on the error:
//   |true_i - value_i| <= relative * |value_i| + absolute    for every i.
// Every operation here rounds the bound up, so that it stays valid, and leaves it zero if the arithmetic was exact.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace plumb::network {

struct CoefficientError {
  double relative = 0;
  double absolute = 0;

  bool operator==(const CoefficientError&) const = default;
};

// Immutable, and cheap to copy because copies share the numbers.
class Coefficients {
 public:
  Coefficients() = default;
  explicit Coefficients(std::vector<double> values, CoefficientError error = {})
      : values_(std::make_shared<const std::vector<double>>(std::move(values))), error_(error) {}

  std::span<const double> values() const {
    return values_ ? std::span<const double>(*values_) : std::span<const double>();
  }
  double operator[](std::int64_t i) const { return (*values_)[static_cast<std::size_t>(i)]; }
  std::int64_t size() const { return values_ ? static_cast<std::int64_t>(values_->size()) : 0; }
  bool empty() const { return size() == 0; }
  const CoefficientError& error() const { return error_; }
  double max_abs() const;

 private:
  std::shared_ptr<const std::vector<double>> values_;
  CoefficientError error_;
};

// a_i * b_(i / period % b.size()) for every i: each b_j scales a run of `period` neighbours, and b repeats.
Coefficients multiply(const Coefficients& a, const Coefficients& b, std::int64_t period = 1);
// a_i / b_(i / period % b.size()). Throws DataError if a divisor may be zero.
Coefficients divide(const Coefficients& a, const Coefficients& b, std::int64_t period = 1);
// a_i + b_(i % b.size()).
Coefficients add(const Coefficients& a, const Coefficients& b);
Coefficients negate(const Coefficients& a);
// sqrt(a_i). Throws DataError if a true value may be negative.
Coefficients square_root(const Coefficients& a);
// The row-major product A[m x k] B[k x n].
Coefficients matrix_product(const Coefficients& a, const Coefficients& b, std::int64_t m, std::int64_t k,
                            std::int64_t n);
// a_(indices_i) for every i, with the error of a.
Coefficients gather(const Coefficients& a, std::span<const std::int64_t> indices);

}  // namespace plumb::network
