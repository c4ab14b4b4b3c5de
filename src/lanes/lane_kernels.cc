#include "lanes/lane_kernels.h"

#include "base/rounding.h"

// Highway includes this file once per instruction set, and compiles it for each.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lanes/lane_kernels.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::lanes::lane_kernels {
namespace {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

// A cache line of lanes as the machine's vectors.
template <class T>
inline constexpr std::int64_t kStep = static_cast<std::int64_t>(hn::MaxLanes(Tag<T>()));
template <class T>
inline constexpr std::int64_t kVectors = kLanes<T> / kStep<T>;

template <class T>
using Layout = typename LaneNetwork<T>::Layout;

// For all rows of the panel and all lanes, computes the sum of value * right[column] over the panel's columns. Then
// calls visit(row, sums) for each row.
template <class T, class Visit>
HWY_INLINE void multiply_panel(const Panels<T>& matrix, const typename Panels<T>::Panel& panel, const T* right,
                               Visit visit) {
  const Tag<T> d;
  constexpr std::int64_t rows = Panels<T>::kRows, n = kVectors<T>;
  Vector<T> sums[rows][n];
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t q = 0; q < n; ++q) sums[r][q] = hn::Zero(d);
  }
  const T* value = matrix.values() + panel.first_column * rows;
  for (std::int64_t c = panel.first_column; c < panel.last_column; ++c, value += rows) {
    const T* x = right + matrix.columns()[c] * kLanes<T>;
    for (std::int64_t q = 0; q < n; ++q) {
      const auto lanes = hn::Load(d, x + q * kStep<T>);
      for (std::int64_t r = 0; r < rows; ++r) sums[r][q] = hn::MulAdd(hn::Set(d, value[r]), lanes, sums[r][q]);
    }
  }
  for (std::int64_t r = 0; r < panel.rows; ++r) visit(panel.first_row + r, sums[r]);
}

// The backward step of one unit: from the coefficient of r_k to those of its row and its cuts.
template <class T>
HWY_INLINE void relax_unit(const Layout<T>& layout, Lanes<T>& lanes, BackwardSums<T>& sums, std::int64_t k,
                           const Vector<T>* products) {
  const Tag<T> d;
  const auto zero = hn::Zero(d);
  for (std::int64_t q = 0; q < kVectors<T>; ++q) {
    const std::int64_t at = q * kStep<T>;
    const auto v = hn::Add(hn::Load(d, lanes_of(lanes.start, layout.inputs + k) + at), products[q]);
    const auto split = hn::Load(d, lanes_of(lanes.split, k) + at);
    const auto open = hn::Eq(split, zero);
    const auto positive = hn::Max(v, zero), negative = hn::Min(v, zero);
    auto constant = hn::Load(d, sums.constant.data() + at), price = hn::Load(d, sums.price.data() + at);
    auto above = hn::IfThenElseZero(open, negative);  // the upper line's share: all that the cuts leave
    for (std::int32_t i = layout.cuts_of_units.first[static_cast<std::size_t>(k)];
         i < layout.cuts_of_units.first[static_cast<std::size_t>(k) + 1]; ++i) {
      const std::int64_t cut = layout.cuts_of_units.cut[static_cast<std::size_t>(i)], row = layout.units + cut;
      const auto share = hn::Mul(hn::IfThenElseZero(open, negative), hn::Load(d, lanes_of(lanes.weight, cut) + at));
      hn::Store(share, d, lanes_of(lanes.on_row, row) + at);
      above = hn::Min(hn::Sub(above, share), zero);
      constant = hn::MulAdd(share, hn::Set(d, layout.constant[static_cast<std::size_t>(row)]), constant);
      if (kErrorTerms)
        price = hn::MulAdd(hn::Abs(share), hn::Set(d, layout.price[static_cast<std::size_t>(row)]), price);
      if (kErrorTerms)
        price = hn::NegMulAdd(negative, hn::Set(d, layout.shared_price[static_cast<std::size_t>(k)]), price);
    }
    const auto line = hn::Mul(above, hn::Load(d, lanes_of(lanes.upper_intercept, k) + at));
    const auto relaxed = hn::MulAdd(hn::Load(d, lanes_of(lanes.slope, k) + at), positive,
                                    hn::Mul(hn::Load(d, lanes_of(lanes.upper_slope, k) + at), above));
    const auto multiplier = hn::Load(d, lanes_of(lanes.multiplier, k) + at);
    const auto decided = hn::IfThenElse(hn::Gt(split, zero), hn::Sub(v, multiplier), multiplier);
    const auto m = hn::IfThenElse(open, relaxed, decided);
    constant = hn::MulAdd(m, hn::Set(d, layout.constant[static_cast<std::size_t>(k)]), hn::Add(constant, line));
    constant = hn::MulAdd(v, zero, constant);  // Max and Min may drop a NaN; the bound must keep it
    if (kErrorTerms) price = hn::MulAdd(hn::Abs(m), hn::Set(d, layout.price[static_cast<std::size_t>(k)]), price);
    hn::Store(v, d, lanes_of(lanes.on_value, k) + at);
    hn::Store(m, d, lanes_of(lanes.on_row, k) + at);
    hn::Store(constant, d, sums.constant.data() + at);
    hn::Store(price, d, sums.price.data() + at);
    hn::Store(hn::Sub(hn::Load(d, sums.intercepts.data() + at), line), d, sums.intercepts.data() + at);
  }
}

// The backward step of one input: over the cube, its term is least at one of the ends.
template <class T>
HWY_INLINE void minimise_input(Lanes<T>& lanes, BackwardSums<T>& sums, std::int64_t i, const Vector<T>* products) {
  const Tag<T> d;
  for (std::int64_t q = 0; q < kVectors<T>; ++q) {
    const std::int64_t at = q * kStep<T>;
    const auto a = hn::Add(hn::Load(d, lanes_of(lanes.start, i) + at), products[q]);
    const auto sign = hn::IfThenElse(hn::Gt(a, hn::Zero(d)), hn::Set(d, T{-1}),
                                     hn::IfThenElseZero(hn::Lt(a, hn::Zero(d)), hn::Set(d, T{1})));
    hn::Store(a, d, lanes_of(lanes.gradient, i) + at);
    hn::Store(sign, d, lanes_of(lanes.values, i) + at);
    hn::Store(hn::Add(hn::Load(d, sums.absolute.data() + at), hn::Abs(a)), d, sums.absolute.data() + at);
  }
}

// Adds m >= 0 times a row to what the lanes ask.
template <class T>
HWY_INLINE void add_row(const Layout<T>& layout, Lanes<T>& lanes, BackwardSums<T>& sums, std::int64_t row,
                        std::int64_t at, Vector<T> m) {
  const Tag<T> d;
  const auto constant = hn::Set(d, layout.constant[static_cast<std::size_t>(row)]);
  const auto price = hn::Set(d, layout.price[static_cast<std::size_t>(row)]);
  hn::Store(m, d, lanes_of(lanes.on_row, row) + at);
  hn::Store(hn::MulAdd(m, constant, hn::Load(d, sums.constant.data() + at)), d, sums.constant.data() + at);
  if (kErrorTerms) hn::Store(hn::MulAdd(m, price, hn::Load(d, sums.price.data() + at)), d, sums.price.data() + at);
}

// Adds joint cuts and each lane's constraints, times their multipliers, to what the lanes ask.
template <class T>
HWY_INLINE void add_multiples(const Layout<T>& layout, Lanes<T>& lanes, BackwardSums<T>& sums) {
  const Tag<T> d;
  for (const std::int64_t cut : layout.cuts_of_units.joint) {
    for (std::int64_t at = 0; at < kLanes<T>; at += kStep<T>) {
      add_row<T>(layout, lanes, sums, layout.units + cut, at, hn::Load(d, lanes_of(lanes.weight, cut) + at));
    }
  }
  for (std::int64_t c = 0; c < layout.constraints; ++c) {
    for (std::int64_t at = 0; at < kLanes<T>; at += kStep<T>) {
      const auto m = hn::Mul(hn::Load(d, lanes_of(lanes.constraint_multiplier, c) + at),
                             hn::Load(d, lanes_of(lanes.has_constraint, c) + at));
      add_row<T>(layout, lanes, sums, layout.units + layout.cuts + c, at, m);
    }
  }
}

template <class T>
HWY_INLINE void backward_pass(const Layout<T>& layout, Lanes<T>& lanes, BackwardSums<T>& sums) {
  sums = {};
  std::copy_n(lanes.constant.data(), kLanes<T>, sums.constant.data());
  add_multiples<T>(layout, lanes, sums);
  for (const auto& panel : layout.backward.panels()) {
    multiply_panel<T>(layout.backward, panel, lanes_of(lanes.on_row, 0),
                      [&](std::int64_t row, const Vector<T>* products) {
                        const std::int64_t target = layout.backward_row[static_cast<std::size_t>(row)];
                        if (target < layout.units)
                          relax_unit<T>(layout, lanes, sums, target, products);
                        else
                          minimise_input<T>(lanes, sums, target - layout.units, products);
                      });
  }
}

// Stores the arguments of units, cuts and constraints, and calls value(k) once the argument of unit k is stored.
template <class T, class Value>
HWY_INLINE void forward_pass(const Layout<T>& layout, Lanes<T>& lanes, Value value) {
  const Tag<T> d;
  for (const auto& panel : layout.forward.panels()) {
    multiply_panel<T>(layout.forward, panel, lanes_of(lanes.values, 0),
                      [&](std::int64_t row, const Vector<T>* products) {
                        const std::int64_t target = layout.forward_row[static_cast<std::size_t>(row)];
                        const auto constant = hn::Set(d, layout.constant[static_cast<std::size_t>(target)]);
                        for (std::int64_t q = 0; q < kVectors<T>; ++q) {
                          hn::Store(hn::Add(products[q], constant), d, lanes_of(lanes.argument, target) + q * kStep<T>);
                        }
                        if (target < layout.units) value(target);
                      });
  }
}

// r_k along the lines that backward() took.
template <class T>
HWY_INLINE void relaxed_value(const Layout<T>& layout, Lanes<T>& lanes, std::int64_t k) {
  const Tag<T> d;
  const auto zero = hn::Zero(d);
  for (std::int64_t q = 0; q < kVectors<T>; ++q) {
    const std::int64_t at = q * kStep<T>;
    const auto z = hn::Load(d, lanes_of(lanes.argument, k) + at), split = hn::Load(d, lanes_of(lanes.split, k) + at);
    const auto line = hn::MulAdd(hn::Load(d, lanes_of(lanes.upper_slope, k) + at), z,
                                 hn::Load(d, lanes_of(lanes.upper_intercept, k) + at));
    auto above = line;
    for (std::int32_t i = layout.cuts_of_units.first[static_cast<std::size_t>(k)];
         i < layout.cuts_of_units.first[static_cast<std::size_t>(k) + 1]; ++i) {
      const std::int64_t cut = layout.cuts_of_units.cut[static_cast<std::size_t>(i)];
      const auto at_cut = hn::Load(d, lanes_of(lanes.argument, layout.units + cut) + at);
      above = hn::MulAdd(hn::Load(d, lanes_of(lanes.weight, cut) + at), hn::Sub(at_cut, line), above);
    }
    const auto below = hn::Mul(hn::Load(d, lanes_of(lanes.slope, k) + at), z);
    const auto open = hn::IfThenElse(hn::Gt(hn::Load(d, lanes_of(lanes.on_value, k) + at), zero), below, above);
    const auto decided = hn::IfThenElseZero(hn::Gt(split, zero), z);
    hn::Store(hn::IfThenElse(hn::Eq(split, zero), open, decided), d, lanes_of(lanes.values, layout.inputs + k) + at);
  }
}

template <class T>
HWY_INLINE void true_value(const Layout<T>& layout, Lanes<T>& lanes, std::int64_t k) {
  const Tag<T> d;
  for (std::int64_t at = 0; at < kLanes<T>; at += kStep<T>) {
    hn::Store(hn::Max(hn::Load(d, lanes_of(lanes.argument, k) + at), hn::Zero(d)), d,
              lanes_of(lanes.values, layout.inputs + k) + at);
  }
}

template <class T>
HWY_INLINE void evaluate_pass(const Layout<T>& layout, Lanes<T>& lanes) {
  const Tag<T> d;
  forward_pass<T>(layout, lanes, [&](std::int64_t k) { true_value<T>(layout, lanes, k); });
  for (std::int64_t at = 0; at < kLanes<T>; at += kStep<T>) {
    auto sum = hn::Load(d, lanes.constant.data() + at);
    for (std::int64_t i = 0; i < layout.inputs + layout.units; ++i) {
      sum = hn::MulAdd(hn::Load(d, lanes_of(lanes.start, i) + at), hn::Load(d, lanes_of(lanes.values, i) + at), sum);
    }
    hn::Store(sum, d, lanes.bound.data() + at);
  }
}

// The gradient of what is asked, at the arguments that evaluate() stored. Cuts and constraints are no part of the true
// network.
template <class T>
HWY_INLINE void differentiate_pass(const Layout<T>& layout, Lanes<T>& lanes) {
  const Tag<T> d;
  for (std::int64_t c = 0; c < layout.cuts + layout.constraints; ++c) {
    std::fill_n(lanes_of(lanes.on_row, layout.units + c), kLanes<T>, T{0});
  }
  for (const auto& panel : layout.backward.panels()) {
    multiply_panel<T>(layout.backward, panel, lanes_of(lanes.on_row, 0),
                      [&](std::int64_t row, const Vector<T>* products) {
                        const std::int64_t target = layout.backward_row[static_cast<std::size_t>(row)];
                        const bool unit = target < layout.units;
                        const std::int64_t start = unit ? layout.inputs + target : target - layout.units;
                        for (std::int64_t q = 0; q < kVectors<T>; ++q) {
                          const std::int64_t at = q * kStep<T>;
                          const auto v = hn::Add(hn::Load(d, lanes_of(lanes.start, start) + at), products[q]);
                          if (!unit) {
                            hn::Store(v, d, lanes_of(lanes.gradient, start) + at);
                            continue;
                          }
                          const auto active = hn::Gt(hn::Load(d, lanes_of(lanes.argument, target) + at), hn::Zero(d));
                          hn::Store(hn::IfThenElseZero(active, v), d, lanes_of(lanes.on_row, target) + at);
                        }
                      });
  }
}

void backward_float(const Layout<float>& layout, Lanes<float>& lanes, BackwardSums<float>& sums) {
  backward_pass<float>(layout, lanes, sums);
}
void backward_double(const Layout<double>& layout, Lanes<double>& lanes, BackwardSums<double>& sums) {
  backward_pass<double>(layout, lanes, sums);
}
void forward_float(const Layout<float>& layout, Lanes<float>& lanes) {
  forward_pass<float>(layout, lanes, [&](std::int64_t k) { relaxed_value<float>(layout, lanes, k); });
}
void forward_double(const Layout<double>& layout, Lanes<double>& lanes) {
  forward_pass<double>(layout, lanes, [&](std::int64_t k) { relaxed_value<double>(layout, lanes, k); });
}
void evaluate_float(const Layout<float>& layout, Lanes<float>& lanes) { evaluate_pass<float>(layout, lanes); }
void evaluate_double(const Layout<double>& layout, Lanes<double>& lanes) { evaluate_pass<double>(layout, lanes); }
void differentiate_float(const Layout<float>& layout, Lanes<float>& lanes) { differentiate_pass<float>(layout, lanes); }
void differentiate_double(const Layout<double>& layout, Lanes<double>& lanes) {
  differentiate_pass<double>(layout, lanes);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace plumb::lanes::lane_kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::lanes::lane_kernels {
namespace {

HWY_EXPORT(backward_float);
HWY_EXPORT(backward_double);
HWY_EXPORT(forward_float);
HWY_EXPORT(forward_double);
HWY_EXPORT(evaluate_float);
HWY_EXPORT(evaluate_double);
HWY_EXPORT(differentiate_float);
HWY_EXPORT(differentiate_double);

}  // namespace

void backward(const LaneNetwork<float>::Layout& layout, Lanes<float>& lanes, BackwardSums<float>& sums) {
  HWY_DYNAMIC_DISPATCH(backward_float)(layout, lanes, sums);
}
void backward(const LaneNetwork<double>::Layout& layout, Lanes<double>& lanes, BackwardSums<double>& sums) {
  HWY_DYNAMIC_DISPATCH(backward_double)(layout, lanes, sums);
}
void forward(const LaneNetwork<float>::Layout& layout, Lanes<float>& lanes) {
  HWY_DYNAMIC_DISPATCH(forward_float)(layout, lanes);
}
void forward(const LaneNetwork<double>::Layout& layout, Lanes<double>& lanes) {
  HWY_DYNAMIC_DISPATCH(forward_double)(layout, lanes);
}
void evaluate(const LaneNetwork<float>::Layout& layout, Lanes<float>& lanes) {
  HWY_DYNAMIC_DISPATCH(evaluate_float)(layout, lanes);
}
void evaluate(const LaneNetwork<double>::Layout& layout, Lanes<double>& lanes) {
  HWY_DYNAMIC_DISPATCH(evaluate_double)(layout, lanes);
}
void differentiate(const LaneNetwork<float>::Layout& layout, Lanes<float>& lanes) {
  HWY_DYNAMIC_DISPATCH(differentiate_float)(layout, lanes);
}
void differentiate(const LaneNetwork<double>::Layout& layout, Lanes<double>& lanes) {
  HWY_DYNAMIC_DISPATCH(differentiate_double)(layout, lanes);
}

}  // namespace plumb::lanes::lane_kernels
#endif
