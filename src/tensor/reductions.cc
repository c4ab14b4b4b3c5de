#include "tensor/reductions.h"

#include <cmath>

// Highway includes this file again for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/reductions.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::tensor {
namespace {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <bool kAbsolute>
HWY_INLINE double sum_of_products(const double* a, const double* b, std::int64_t n) {
  const hn::ScalableTag<double> d;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  auto first = hn::Zero(d), second = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + 2 * step <= n; i += 2 * step) {
    auto x = hn::LoadU(d, a + i), y = hn::LoadU(d, a + i + step);
    if (kAbsolute) x = hn::Abs(x), y = hn::Abs(y);
    first = hn::MulAdd(x, hn::LoadU(d, b + i), first);
    second = hn::MulAdd(y, hn::LoadU(d, b + i + step), second);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(first, second)));
  for (; i < n; ++i) sum += (kAbsolute ? std::abs(a[i]) : a[i]) * b[i];
  return sum;
}

double dot(const double* a, const double* b, std::int64_t n) { return sum_of_products<false>(a, b, n); }
double dot_abs(const double* a, const double* b, std::int64_t n) { return sum_of_products<true>(a, b, n); }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace plumb::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::tensor {
namespace {

HWY_EXPORT(dot);
HWY_EXPORT(dot_abs);

}  // namespace

double dot(const double* a, const double* b, std::int64_t n) { return HWY_DYNAMIC_DISPATCH(dot)(a, b, n); }
double dot_abs(const double* a, const double* b, std::int64_t n) { return HWY_DYNAMIC_DISPATCH(dot_abs)(a, b, n); }

}  // namespace plumb::tensor
#endif
