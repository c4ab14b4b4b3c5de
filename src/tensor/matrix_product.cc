#include "tensor/matrix_product.h"

#include <cblas.h>

#include <algorithm>

namespace plumb {
namespace {

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
                    std::int64_t k, const Real* a, const Real* b, Real beta, Real* c) {
  keep_blas_on_the_calling_thread();
  if (m == 0 || n == 0) return;
  if (k == 0) {
    std::for_each(c, c + m * n, [beta](Real& value) { value = beta == 0 ? Real(0) : beta * value; });
    return;
  }
  const std::int64_t lda = transpose_a == Transposed::kYes ? m : k;
  const std::int64_t ldb = transpose_b == Transposed::kYes ? k : n;
  gemm(blas_flag(transpose_a), blas_flag(transpose_b), static_cast<blasint>(m), static_cast<blasint>(n),
       static_cast<blasint>(k), a, static_cast<blasint>(lda), b, static_cast<blasint>(ldb), beta, c);
}

template void matrix_product(Transposed, Transposed, std::int64_t, std::int64_t, std::int64_t, const float*,
                             const float*, float, float*);
template void matrix_product(Transposed, Transposed, std::int64_t, std::int64_t, std::int64_t, const double*,
                             const double*, double, double*);

}  // namespace plumb
