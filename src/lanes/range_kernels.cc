#include "lanes/range_kernels.h"

// Highway includes this file once per instruction set, and compiles it for each.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lanes/range_kernels.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::lanes::range_kernels {
namespace {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kRangeStep>;

Opposed opposed_sums(const float* a, const float* g, std::int64_t count) {
  const Floats d;
  auto of_a = hn::Zero(d), of_g = hn::Zero(d);
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    const auto x = hn::Load(d, a + i), y = hn::Load(d, g + i);
    const auto opposite = hn::Lt(hn::Mul(x, y), hn::Zero(d));
    of_a = hn::Add(of_a, hn::IfThenElseZero(opposite, hn::Abs(x)));
    of_g = hn::Add(of_g, hn::IfThenElseZero(opposite, hn::Abs(y)));
  }
  return {hn::GetLane(hn::SumOfLanes(d, of_a)), hn::GetLane(hn::SumOfLanes(d, of_g))};
}

Reach reach_sums(const float* a, const float* g, std::int64_t count, float factor) {
  const Floats d;
  const auto f = hn::Set(d, factor);
  auto value = hn::Zero(d), slope = hn::Zero(d);
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    const auto x = hn::Load(d, a + i), y = hn::Load(d, g + i);
    const auto opposite = hn::Lt(hn::Mul(x, y), hn::Zero(d));
    const auto size = hn::Abs(x), step = hn::Abs(y), far = hn::Mul(f, step);
    value = hn::Add(value, hn::IfThenElseZero(opposite, hn::Min(size, far)));
    slope = hn::Add(slope, hn::IfThenElseZero(hn::And(opposite, hn::Lt(far, size)), step));
  }
  return {hn::GetLane(hn::SumOfLanes(d, value)), hn::GetLane(hn::SumOfLanes(d, slope))};
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace plumb::lanes::range_kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::lanes::range_kernels {
namespace {

HWY_EXPORT(opposed_sums);
HWY_EXPORT(reach_sums);

}  // namespace

Opposed opposed(const float* a, const float* g, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(opposed_sums)(a, g, count);
}
Reach reach(const float* a, const float* g, std::int64_t count, float factor) {
  return HWY_DYNAMIC_DISPATCH(reach_sums)(a, g, count, factor);
}

}  // namespace plumb::lanes::range_kernels
#endif
