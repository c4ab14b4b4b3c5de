#include "tensor/matrix_product.h"

#include <algorithm>

// Highway includes this file again for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/matrix_product.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#ifndef PLUMB_TENSOR_MATRIX_PRODUCT_OPERANDS
#define PLUMB_TENSOR_MATRIX_PRODUCT_OPERANDS
namespace plumb::tensor {
namespace {

// `a_row` and `a_column` are the distances between A's rows and columns in memory, so that A may be stored transposed.
template <class Real>
struct Operands {
  std::int64_t n, k;
  const Real* a;
  std::int64_t a_row, a_column;
  const Real* b;
  Real* c;
  bool accumulate;
};

}  // namespace
}  // namespace plumb::tensor
#endif

HWY_BEFORE_NAMESPACE();
namespace plumb::tensor {
namespace {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Accumulators of 6 x kMostVectors vectors, one row of B and one broadcast value fill the register file. Narrow
// matrices use more rows instead, so that there are enough independent sums to hide the latency of additions.
inline constexpr int kMostVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
constexpr int rows_for(int vectors) { return 2 * vectors <= kMostVectors ? 12 : 6; }

// The first `lanes` elements at `from`, followed by zeros. Only AVX2 and AVX-512 have masked loads and stores, which do
// not touch the memory behind these elements.
template <class D, class Real>
HWY_INLINE hn::Vec<D> load_first(D d, std::size_t lanes, const Real* from) {
#if HWY_TARGET <= HWY_AVX2
  return hn::MaskedLoad(hn::FirstN(d, lanes), d, from);
#else
  HWY_ALIGN Real whole[hn::MaxLanes(d)] = {};
  for (std::size_t i = 0; i < lanes; ++i) whole[i] = from[i];
  return hn::Load(d, whole);
#endif
}

template <class D, class Real>
HWY_INLINE void store_first(hn::Vec<D> vector, D d, std::size_t lanes, Real* to) {
#if HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(vector, hn::FirstN(d, lanes), d, to);
#else
  HWY_ALIGN Real whole[hn::MaxLanes(d)];
  hn::Store(vector, d, whole);
  for (std::size_t i = 0; i < lanes; ++i) to[i] = whole[i];
#endif
}

// Computes R rows of C from `row` on, in V vectors of columns from `column` on. The last vector has `lanes` columns.
template <int R, int V, class Real>
HWY_INLINE void tile(const Operands<Real>& o, std::int64_t row, std::int64_t column, std::size_t lanes) {
  const hn::ScalableTag<Real> d;
  using Vector = hn::Vec<decltype(d)>;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  const Real* a = o.a + row * o.a_row;
  const Real* b = o.b + column;
  Real* c = o.c + row * o.n + column;
  Vector sum[R][V];
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) {
      const Real* at = c + r * o.n + v * step;
      if (!o.accumulate)
        sum[r][v] = hn::Zero(d);
      else
        sum[r][v] = v + 1 < V ? hn::LoadU(d, at) : load_first(d, lanes, at);
    }
  }
  for (std::int64_t i = 0; i < o.k; ++i) {
    Vector line[V];
    for (int v = 0; v < V; ++v) line[v] = v + 1 < V ? hn::LoadU(d, b + v * step) : load_first(d, lanes, b + v * step);
    for (int r = 0; r < R; ++r) {
      const Vector factor = hn::Set(d, a[r * o.a_row]);
      for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(factor, line[v], sum[r][v]);
    }
    a += o.a_column;
    b += o.n;
  }
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) {
      Real* at = c + r * o.n + v * step;
      if (v + 1 < V)
        hn::StoreU(sum[r][v], d, at);
      else
        store_first(sum[r][v], d, lanes, at);
    }
  }
}

template <int V, class Real>
HWY_INLINE void strip(const Operands<Real>& o, std::int64_t m, std::int64_t column, std::size_t lanes) {
  std::int64_t row = 0;
  for (; row + rows_for(V) <= m; row += rows_for(V)) tile<rows_for(V), V>(o, row, column, lanes);
  for (; row + 2 <= m; row += 2) tile<2, V>(o, row, column, lanes);
  for (; row < m; ++row) tile<1, V>(o, row, column, lanes);
}

template <class Real>
HWY_INLINE void product_of_block(std::int64_t m, const Operands<Real>& o) {
  const auto step = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<Real>()));
  std::int64_t column = 0;
  for (; column + kMostVectors * step <= o.n; column += kMostVectors * step) {
    strip<kMostVectors>(o, m, column, static_cast<std::size_t>(step));
  }
  const std::int64_t rest = o.n - column;
  if (rest == 0) return;
  const std::int64_t vectors = (rest + step - 1) / step;
  const auto lanes = static_cast<std::size_t>(rest - (vectors - 1) * step);
  if (vectors == 1)
    strip<1>(o, m, column, lanes);
  else if (vectors == 2)
    strip<2>(o, m, column, lanes);
  else if (vectors == 3)
    strip<3>(o, m, column, lanes);
  else
    strip<4>(o, m, column, lanes);
}

// Processes B in blocks of rows, so that the block that all rows of A use stays in the second-level cache.
template <class Real>
HWY_INLINE void product(std::int64_t m, Operands<Real> o) {
  constexpr std::int64_t kBlock = 256;
  for (std::int64_t left = o.k; left > 0; left -= kBlock) {
    o.k = left < kBlock ? left : kBlock;
    product_of_block(m, o);
    o.a += o.k * o.a_column;
    o.b += o.k * o.n;
    o.accumulate = true;
  }
}

void product_float(std::int64_t m, const Operands<float>& operands) { product(m, operands); }

void product_double(std::int64_t m, const Operands<double>& operands) { product(m, operands); }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace plumb::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::tensor {
namespace {

HWY_EXPORT(product_float);
HWY_EXPORT(product_double);

void product(std::int64_t m, const Operands<float>& operands) { HWY_DYNAMIC_DISPATCH(product_float)(m, operands); }
void product(std::int64_t m, const Operands<double>& operands) { HWY_DYNAMIC_DISPATCH(product_double)(m, operands); }

}  // namespace

template <class Real>
void matrix_product(Transposed transpose_a, std::int64_t m, std::int64_t n, std::int64_t k, const Real* a,
                    const Real* b, Result result, Real* c) {
  if (k == 0 && result == Result::kOverwrite) std::fill(c, c + m * n, Real(0));
  const bool transposed = transpose_a == Transposed::kYes;
  product(m, Operands<Real>{n, k, a, transposed ? 1 : k, transposed ? m : 1, b, c, result == Result::kAdd});
}

template <class Real>
void transpose(const Real* from, std::int64_t rows, std::int64_t columns, Real* to) {
  constexpr std::int64_t kBlock = 16;  // a block of `from` and its image in `to` fit the first-level cache
  for (std::int64_t r0 = 0; r0 < rows; r0 += kBlock) {
    const std::int64_t r1 = std::min(rows, r0 + kBlock);
    for (std::int64_t c0 = 0; c0 < columns; c0 += kBlock) {
      const std::int64_t c1 = std::min(columns, c0 + kBlock);
      for (std::int64_t c = c0; c < c1; ++c) {
        for (std::int64_t r = r0; r < r1; ++r) to[c * rows + r] = from[r * columns + c];
      }
    }
  }
}

template void matrix_product(Transposed, std::int64_t, std::int64_t, std::int64_t, const float*, const float*, Result,
                             float*);
template void matrix_product(Transposed, std::int64_t, std::int64_t, std::int64_t, const double*, const double*, Result,
                             double*);
template void transpose(const float*, std::int64_t, std::int64_t, float*);
template void transpose(const double*, std::int64_t, std::int64_t, double*);

}  // namespace plumb::tensor
#endif
