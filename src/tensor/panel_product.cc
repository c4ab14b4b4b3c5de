#include "tensor/panel_product.h"

// This file is compiled once for every instruction set; Highway includes it again and again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/panel_product.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Accumulators of 6 x kMostVectors vectors, a row of B and one broadcast fill the register file. Narrow
// matrices take more rows instead, so that enough independent sums hide the latency of an addition.
inline constexpr int kMostVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
constexpr int rows_for(int vectors) { return 2 * vectors <= kMostVectors ? 12 : 6; }

template <class Real>
struct Operands {
  std::int64_t n, k;
  const Real* a;
  std::int64_t a_row, a_column;
  const Real* b;
  Real* c;
  bool accumulate;
};

// The first `lanes` elements at `from`, and zeros. Only AVX2 and AVX-512 have loads and stores that leave the rest of
// memory alone.
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

// Rows `row` to `row + R` and columns `column` on of C, V vectors wide; the last vector holds only `lanes`
// columns.
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
    for (int v = 0; v < V; ++v)
      line[v] = v + 1 < V ? hn::LoadU(d, b + v * step) : load_first(d, lanes, b + v * step);
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
HWY_INLINE void product(std::int64_t m, const Operands<Real>& o) {
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

void product_float(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row,
                   std::int64_t a_column, const float* b, float* c, bool accumulate) {
  product(m, Operands<float>{n, k, a, a_row, a_column, b, c, accumulate});
}

void product_double(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t a_row,
                    std::int64_t a_column, const double* b, double* c, bool accumulate) {
  product(m, Operands<double>{n, k, a, a_row, a_column, b, c, accumulate});
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb {

HWY_EXPORT(product_float);
HWY_EXPORT(product_double);

template <>
void panel_product(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row,
                   std::int64_t a_column, const float* b, float* c, bool accumulate) {
  HWY_DYNAMIC_DISPATCH(product_float)(m, n, k, a, a_row, a_column, b, c, accumulate);
}

template <>
void panel_product(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t a_row,
                   std::int64_t a_column, const double* b, double* c, bool accumulate) {
  HWY_DYNAMIC_DISPATCH(product_double)(m, n, k, a, a_row, a_column, b, c, accumulate);
}

}  // namespace plumb
#endif
