// matrix_product.h: C = A B (+ C) for row-major matrices, in double and float32.
//
// Made for a few to some hundred rows going through a layer's weights: six or more rows of A share every load of B,
// and B is read where it lies. A general BLAS repacks both operands each time, which costs more than it gains here.
// Runs on the calling thread alone: parallelism belongs to the callers, who have whole samples or subproblems to hand
// out. The instructions (AVX-512, AVX2, SSE) are chosen when the program runs.
//
// Sums may be taken in any order, with or without fused multiply-add, but never in a Strassen-like scheme. So the
// classic bound holds: |fl(AB) - AB| <= gamma(k) |A||B|.
#pragma once

#include <cstdint>

namespace plumb::tensor {

enum class Transposed { kNo, kYes };
enum class Result { kOverwrite, kAdd };

// C[m x n] = op(A)[m x k] B[k x n] (+ C), where op transposes or not. Matrices are stored without gaps.
template <class Real>
void matrix_product(Transposed transpose_a, std::int64_t m, std::int64_t n, std::int64_t k, const Real* a,
                    const Real* b, Result result, Real* c);

// to[columns x rows] = from[rows x columns] transposed.
template <class Real>
void transpose(const Real* from, std::int64_t rows, std::int64_t columns, Real* to);

}  // namespace plumb::tensor
