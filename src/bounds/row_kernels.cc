#include "bounds/row_kernels.h"

#include <cmath>

#include "base/rounding.h"

// Highway compiles this file once for every instruction set, by including it repeatedly.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bounds/row_kernels.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::bounds {
namespace {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
HWY_INLINE double total(V v) {
  return hn::GetLane(hn::SumOfLanes(hn::ScalableTag<double>(), v));
}

void relax_row(double* coefficients, const ReluRun& units, std::int64_t n, double& constant, double& rounded) {
  const hn::ScalableTag<double> d;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  auto constants = hn::Zero(d), magnitudes = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + step <= n; i += step) {
    auto c = hn::LoadU(d, coefficients + i);
    const auto negative = hn::Lt(c, hn::Zero(d));
    const auto slope =
        hn::IfThenElse(negative, hn::LoadU(d, units.upper_slope + i), hn::LoadU(d, units.lower_slope + i));
    constants = hn::Add(constants, hn::IfThenElseZero(negative, hn::Mul(c, hn::LoadU(d, units.upper_intercept + i))));
    c = hn::Mul(c, slope);
    if (kErrorTerms) magnitudes = hn::MulAdd(hn::Abs(c), hn::LoadU(d, units.magnitude + i), magnitudes);
    hn::StoreU(c, d, coefficients + i);
  }
  constant += total(constants);
  rounded += total(magnitudes);
  for (; i < n; ++i) {
    double& c = coefficients[i];
    if (c < 0) constant += c * units.upper_intercept[i];
    c *= c < 0 ? units.upper_slope[i] : units.lower_slope[i];
    rounded += std::abs(c) * units.magnitude[i];
  }
}

void minimise_row(const double* coefficients, const double* lower, const double* upper, std::int64_t n, double& sum,
                  double& magnitudes) {
  const hn::ScalableTag<double> d;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  auto terms = hn::Zero(d), absolute = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + step <= n; i += step) {
    const auto c = hn::LoadU(d, coefficients + i);
    const auto end = hn::IfThenElse(hn::Gt(c, hn::Zero(d)), hn::LoadU(d, lower + i), hn::LoadU(d, upper + i));
    const auto term = hn::Mul(c, end);
    terms = hn::Add(terms, term);
    absolute = hn::Add(absolute, hn::Abs(term));
  }
  sum += total(terms);
  magnitudes += total(absolute);
  for (; i < n; ++i) {
    const double term = coefficients[i] * (coefficients[i] > 0 ? lower[i] : upper[i]);
    sum += term;
    magnitudes += std::abs(term);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace plumb::bounds
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::bounds {
namespace {

HWY_EXPORT(relax_row);
HWY_EXPORT(minimise_row);

}  // namespace

void relax_row(double* coefficients, const ReluRun& units, std::int64_t n, double& constant, double& rounded) {
  HWY_DYNAMIC_DISPATCH(relax_row)(coefficients, units, n, constant, rounded);
}

void minimise_row(const double* coefficients, const double* lower, const double* upper, std::int64_t n, double& sum,
                  double& magnitudes) {
  HWY_DYNAMIC_DISPATCH(minimise_row)(coefficients, lower, upper, n, sum, magnitudes);
}

}  // namespace plumb::bounds
#endif
