#include "lanes/ascent_kernels.h"

// Highway includes this file once per instruction set, and compiles it for each.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lanes/ascent_kernels.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::lanes::ascent_kernels {
namespace {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

template <class T>
inline constexpr std::int64_t kStep = static_cast<std::int64_t>(hn::MaxLanes(Tag<T>()));

template <class T>
void keep_lanes(const LaneRow<T>& bound, const LaneRow<T>& best, const LaneTable<T>& from, LaneTable<T>& to,
                std::int64_t count) {
  const Tag<T> d;
  for (std::int64_t at = 0; at < kLanes<T>; at += kStep<T>) {
    const auto better = hn::Gt(hn::Load(d, bound.data() + at), hn::Load(d, best.data() + at));
    for (std::int64_t i = 0; i < count; ++i) {
      hn::Store(hn::IfThenElse(better, hn::Load(d, lanes_of(from, i) + at), hn::Load(d, lanes_of(to, i) + at)), d,
                lanes_of(to, i) + at);
    }
  }
}

template <class T>
HWY_INLINE void keep_best_of(const Lanes<T>& lanes, Ascent<T>& ascent) {
  keep_lanes(lanes.bound, ascent.bound, lanes.slope, ascent.slope, ascent.slope.count());
  keep_lanes(lanes.bound, ascent.bound, lanes.multiplier, ascent.multiplier, ascent.multiplier.count());
  keep_lanes(lanes.bound, ascent.bound, lanes.weight, ascent.weight, ascent.weight.count());
  keep_lanes(lanes.bound, ascent.bound, lanes.constraint_multiplier, ascent.constraint_multiplier,
             ascent.constraint_multiplier.count());
  keep_lanes(lanes.bound, ascent.bound, lanes.values, ascent.point, ascent.point.count());
  for (std::size_t lane = 0; lane < ascent.bound.size(); ++lane) {
    if (lanes.bound[lane] > ascent.bound[lane]) ascent.bound[lane] = lanes.bound[lane];
  }
}

// Updates Adam's running means with the gradient, and returns the direction of its step.
template <class T, class V>
HWY_INLINE V direction(V gradient, T* first, T* second, double correction) {
  const Tag<T> d;
  const auto m = hn::MulAdd(hn::Set(d, static_cast<T>(kFirstDecay)), hn::Load(d, first),
                            hn::Mul(hn::Set(d, static_cast<T>(1 - kFirstDecay)), gradient));
  const auto s = hn::MulAdd(hn::Set(d, static_cast<T>(kSecondDecay)), hn::Load(d, second),
                            hn::Mul(hn::Set(d, static_cast<T>(1 - kSecondDecay)), hn::Mul(gradient, gradient)));
  hn::Store(m, d, first);
  hn::Store(s, d, second);
  const auto root = hn::Sqrt(hn::Mul(s, hn::Set(d, static_cast<T>(correction))));
  return hn::Div(m, hn::Add(root, hn::Set(d, static_cast<T>(1e-8))));
}

template <class T>
HWY_INLINE void step_weights(const CutsOfUnits& cuts, const Rates& rates, std::int64_t k, std::int64_t at,
                             Lanes<T>& lanes, AdamMeans<T>& means) {
  const std::int32_t first = cuts.first[static_cast<std::size_t>(k)],
                     last = cuts.first[static_cast<std::size_t>(k) + 1];
  if (first == last) return;
  const Tag<T> d;
  const auto zero = hn::Zero(d);
  const std::int64_t units = lanes.slope.count();
  const auto open = hn::Eq(hn::Load(d, lanes_of(lanes.split, k) + at), zero);
  const auto negative = hn::IfThenElseZero(open, hn::Min(hn::Load(d, lanes_of(lanes.on_value, k) + at), zero));
  const auto line =
      hn::MulAdd(hn::Load(d, lanes_of(lanes.upper_slope, k) + at), hn::Load(d, lanes_of(lanes.argument, k) + at),
                 hn::Load(d, lanes_of(lanes.upper_intercept, k) + at));
  const auto rate = hn::Load(d, lanes.rate.data() + at);
  auto total = zero;
  for (std::int32_t i = first; i < last; ++i) {
    const std::int64_t cut = cuts.cut[static_cast<std::size_t>(i)];
    const auto gradient = hn::Mul(negative, hn::Sub(hn::Load(d, lanes_of(lanes.argument, units + cut) + at), line));
    const auto move = direction<T>(gradient, lanes_of(means.weight_first, cut) + at,
                                   lanes_of(means.weight_second, cut) + at, rates.second);
    const auto weight = hn::Max(hn::MulAdd(hn::Mul(rate, hn::Set(d, static_cast<T>(rates.weight))), move,
                                           hn::Load(d, lanes_of(lanes.weight, cut) + at)),
                                zero);
    hn::Store(weight, d, lanes_of(lanes.weight, cut) + at);
    total = hn::Add(total, weight);
  }
  const auto one = hn::Set(d, T{1});
  const auto scale = hn::IfThenElse(hn::Gt(total, one), hn::Div(one, total), one);
  for (std::int32_t i = first; i < last; ++i) {
    T* weight = lanes_of(lanes.weight, cuts.cut[static_cast<std::size_t>(i)]) + at;
    hn::Store(hn::Mul(hn::Load(d, weight), scale), d, weight);
  }
}

// The multiplier of a row that is at most zero where it counts: it grows where the row is positive at the minimiser.
template <class T, class V>
HWY_INLINE void step_multiplier(V row, const Rates& rates, const T* rate_of_lanes, T* first, T* second, T* multiplier) {
  const Tag<T> d;
  const auto move = direction<T>(row, first, second, rates.second);
  const auto rate = hn::Mul(hn::Load(d, rate_of_lanes), hn::Set(d, static_cast<T>(rates.multiplier)));
  hn::Store(hn::Max(hn::MulAdd(rate, move, hn::Load(d, multiplier)), hn::Zero(d)), d, multiplier);
}

template <class T>
HWY_INLINE void step_joint_cuts(const CutsOfUnits& cuts, const Rates& rates, Lanes<T>& lanes, AdamMeans<T>& means) {
  const Tag<T> d;
  const std::int64_t units = lanes.slope.count();
  for (const std::int64_t cut : cuts.joint) {
    for (std::int64_t at = 0; at < kLanes<T>; at += kStep<T>) {
      step_multiplier<T>(hn::Load(d, lanes_of(lanes.argument, units + cut) + at), rates, lanes.rate.data() + at,
                         lanes_of(means.weight_first, cut) + at, lanes_of(means.weight_second, cut) + at,
                         lanes_of(lanes.weight, cut) + at);
    }
  }
}

template <class T>
HWY_INLINE void step_constraint_multipliers(const Rates& rates, Lanes<T>& lanes, AdamMeans<T>& means) {
  const Tag<T> d;
  const std::int64_t first = lanes.slope.count() + lanes.weight.count();
  for (std::int64_t c = 0; c < lanes.constraint_multiplier.count(); ++c) {
    for (std::int64_t at = 0; at < kLanes<T>; at += kStep<T>) {
      const auto row = hn::Mul(hn::Load(d, lanes_of(lanes.argument, first + c) + at),
                               hn::Load(d, lanes_of(lanes.has_constraint, c) + at));
      step_multiplier<T>(row, rates, lanes.rate.data() + at, lanes_of(means.constraint_first, c) + at,
                         lanes_of(means.constraint_second, c) + at, lanes_of(lanes.constraint_multiplier, c) + at);
    }
  }
}

template <class T>
HWY_INLINE void step_of(const CutsOfUnits& cuts, const Rates& rates, Lanes<T>& lanes, AdamMeans<T>& means) {
  const Tag<T> d;
  const auto zero = hn::Zero(d), one = hn::Set(d, T{1});
  step_joint_cuts<T>(cuts, rates, lanes, means);
  step_constraint_multipliers<T>(rates, lanes, means);
  for (std::int64_t k = 0; k < lanes.slope.count(); ++k) {
    for (std::int64_t at = 0; at < kLanes<T>; at += kStep<T>) {
      const auto split = hn::Load(d, lanes_of(lanes.split, k) + at), z = hn::Load(d, lanes_of(lanes.argument, k) + at);
      const auto positive = hn::Max(hn::Load(d, lanes_of(lanes.on_value, k) + at), zero);
      const auto open = hn::Eq(split, zero);
      const auto rate = hn::Load(d, lanes.rate.data() + at);
      const auto gradient =
          hn::IfThenElse(open, hn::Mul(positive, z), hn::IfThenElse(hn::Gt(split, zero), hn::Neg(z), z));
      const auto move =
          direction<T>(gradient, lanes_of(means.first, k) + at, lanes_of(means.second, k) + at, rates.second);
      const auto slope = hn::Load(d, lanes_of(lanes.slope, k) + at),
                 multiplier = hn::Load(d, lanes_of(lanes.multiplier, k) + at);
      const auto new_slope =
          hn::Min(hn::Max(hn::MulAdd(hn::Mul(rate, hn::Set(d, static_cast<T>(rates.slope))), move, slope), zero), one);
      const auto new_multiplier =
          hn::Max(hn::MulAdd(hn::Mul(rate, hn::Set(d, static_cast<T>(rates.multiplier))), move, multiplier), zero);
      hn::Store(hn::IfThenElse(open, new_slope, slope), d, lanes_of(lanes.slope, k) + at);
      hn::Store(hn::IfThenElse(open, multiplier, new_multiplier), d, lanes_of(lanes.multiplier, k) + at);
      step_weights<T>(cuts, rates, k, at, lanes, means);
    }
  }
}

void keep_float(const Lanes<float>& lanes, Ascent<float>& ascent) { keep_best_of<float>(lanes, ascent); }
void keep_double(const Lanes<double>& lanes, Ascent<double>& ascent) { keep_best_of<double>(lanes, ascent); }
void step_float(const CutsOfUnits& cuts, const Rates& rates, Lanes<float>& lanes, AdamMeans<float>& means) {
  step_of<float>(cuts, rates, lanes, means);
}
void step_double(const CutsOfUnits& cuts, const Rates& rates, Lanes<double>& lanes, AdamMeans<double>& means) {
  step_of<double>(cuts, rates, lanes, means);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace plumb::lanes::ascent_kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::lanes::ascent_kernels {
namespace {

HWY_EXPORT(keep_float);
HWY_EXPORT(keep_double);
HWY_EXPORT(step_float);
HWY_EXPORT(step_double);

}  // namespace

void keep_best(const Lanes<float>& lanes, Ascent<float>& ascent) { HWY_DYNAMIC_DISPATCH(keep_float)(lanes, ascent); }
void keep_best(const Lanes<double>& lanes, Ascent<double>& ascent) { HWY_DYNAMIC_DISPATCH(keep_double)(lanes, ascent); }
void step(const CutsOfUnits& cuts, const Rates& rates, Lanes<float>& lanes, AdamMeans<float>& means) {
  HWY_DYNAMIC_DISPATCH(step_float)(cuts, rates, lanes, means);
}
void step(const CutsOfUnits& cuts, const Rates& rates, Lanes<double>& lanes, AdamMeans<double>& means) {
  HWY_DYNAMIC_DISPATCH(step_double)(cuts, rates, lanes, means);
}

}  // namespace plumb::lanes::ascent_kernels
#endif
