#include "network/direct_form.h"

#include <algorithm>

namespace plumb::network {
namespace {

// Calls visit(k, c) for every k < count, where c is the number for position k. `numbers` has one number for all
// elements or one per element of a value; the values, of `size` elements each, follow one another.
template <class Real, class Visit>
void for_each(const Coefficients& numbers, std::int64_t size, std::size_t count, Visit visit) {
  const std::span<const double> all = numbers.values();
  for (std::size_t k = 0; k < count; ++k) {
    visit(k, static_cast<Real>(all.size() == 1 ? all[0] : all[k % static_cast<std::size_t>(size)]));
  }
}

template <class Real>
struct Value {
  std::int64_t size;
  std::span<const Real> x;
  std::span<Real> y;

  void operator()(const LeakyForm& f) const {
    for_each<Real>(f.slope, size, x.size(), [&](std::size_t k, Real slope) { y[k] = x[k] < 0 ? slope * x[k] : x[k]; });
  }
  void operator()(const LowerLimitForm& f) const {
    for_each<Real>(f.limit, size, x.size(), [&](std::size_t k, Real limit) { y[k] = std::max(x[k], limit); });
  }
};

template <class Real>
struct Gradient {
  std::int64_t size;
  std::span<const Real> x, of_y;
  std::span<Real> of_x;

  void operator()(const LeakyForm& f) const {
    for_each<Real>(f.slope, size, x.size(),
                   [&](std::size_t k, Real slope) { of_x[k] += x[k] < 0 ? slope * of_y[k] : of_y[k]; });
  }
  void operator()(const LowerLimitForm& f) const {
    for_each<Real>(f.limit, size, x.size(),
                   [&](std::size_t k, Real limit) { of_x[k] += x[k] > limit ? of_y[k] : Real(0); });
  }
};

}  // namespace

template <class Real>
void evaluate_activation(const Activation& f, std::int64_t size, std::span<const Real> x, std::span<Real> y) {
  std::visit(Value<Real>{size, x, y}, f);
}

template <class Real>
void add_activation_gradient(const Activation& f, std::int64_t size, std::span<const Real> x,
                             std::span<const Real> y_gradient, std::span<Real> x_gradient) {
  std::visit(Gradient<Real>{size, x, y_gradient, x_gradient}, f);
}

template void evaluate_activation(const Activation&, std::int64_t, std::span<const float>, std::span<float>);
template void evaluate_activation(const Activation&, std::int64_t, std::span<const double>, std::span<double>);
template void add_activation_gradient(const Activation&, std::int64_t, std::span<const float>, std::span<const float>,
                                      std::span<float>);
template void add_activation_gradient(const Activation&, std::int64_t, std::span<const double>, std::span<const double>,
                                      std::span<double>);

}  // namespace plumb::network
