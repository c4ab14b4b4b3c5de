// matrix_product.h: C = A B (+ C) for row-major matrices, in double and float32.
//
// Carried out by the BLAS on the calling thread alone: parallelism belongs to the callers, who have whole
// samples or subproblems to hand out. Any order of summation may be used, with or without fused multiply-add;
// no Strassen-like scheme. So the classic bound |fl(AB) - AB| <= gamma(k) |A||B| holds.
#pragma once

#include <cstdint>

namespace plumb {

enum class Transposed { kNo, kYes };

// C[m x n] = op(A)[m x k] op(B)[k x n] + beta C, where op transposes or not. Leading dimensions are the
// stored matrices' numbers of columns.
template <class Real>
void matrix_product(Transposed transpose_a, Transposed transpose_b, std::int64_t m, std::int64_t n,
                    std::int64_t k, const Real* a, const Real* b, Real beta, Real* c);

}  // namespace plumb
