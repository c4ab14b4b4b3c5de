#include "tensor/matrix_product.h"

#include <cblas.h>

#include <algorithm>

#include "tensor/panel_product.h"

namespace plumb {
namespace {

// A second-level cache holds this much beside what else is going on.
constexpr std::int64_t kCachedBytes = 768 << 10;

CBLAS_TRANSPOSE blas_flag(Transposed transposed) {
  return transposed == Transposed::kYes ? CblasTrans : CblasNoTrans;
}

void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n, blasint k, const float* a,
          blasint lda, const float* b, blasint ldb, float beta, float* c) {
  cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1.0F, a, lda, b, ldb, beta, c, n);
}

void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n, blasint k, const double* a,
          blasint lda, const double* b, blasint ldb, double beta, double* c) {
  cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1.0, a, lda, b, ldb, beta, c, n);
}

void keep_blas_on_the_calling_thread() {
  [[maybe_unused]] static const bool done = (openblas_set_num_threads(1), true);
}

}  // namespace

template <class Real>
void matrix_product(Transposed transpose_a, Transposed transpose_b, std::int64_t m, std::int64_t n,
                    std::int64_t k, const Real* a, const Real* b, Result result, Real* c) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (result == Result::kOverwrite) std::fill(c, c + m * n, Real(0));
    return;
  }
  const bool a_transposed = transpose_a == Transposed::kYes;
  const std::int64_t b_bytes = k * n * static_cast<std::int64_t>(sizeof(Real));
  if (transpose_b == Transposed::kNo && b_bytes <= kCachedBytes) {
    panel_product(m, n, k, a, a_transposed ? 1 : k, a_transposed ? m : 1, b, c, result == Result::kAdd);
    return;
  }
  keep_blas_on_the_calling_thread();
  const std::int64_t lda = a_transposed ? m : k;
  const std::int64_t ldb = transpose_b == Transposed::kYes ? k : n;
  gemm(blas_flag(transpose_a), blas_flag(transpose_b), static_cast<blasint>(m), static_cast<blasint>(n),
       static_cast<blasint>(k), a, static_cast<blasint>(lda), b, static_cast<blasint>(ldb),
       result == Result::kAdd ? Real(1) : Real(0), c);
}

template <class Real>
void transpose(const Real* from, std::int64_t rows, std::int64_t columns, Real* to) {
  constexpr std::int64_t kBlock = 16;  // both sides of a block stay in the first-level cache
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

template void matrix_product(Transposed, Transposed, std::int64_t, std::int64_t, std::int64_t, const float*,
                             const float*, Result, float*);
template void matrix_product(Transposed, Transposed, std::int64_t, std::int64_t, std::int64_t, const double*,
                             const double*, Result, double*);
template void transpose(const float*, std::int64_t, std::int64_t, float*);
template void transpose(const double*, std::int64_t, std::int64_t, double*);

}  // namespace plumb
