// matrix_product.h: C = A B (+ C) for row-major matrices, in double and float32.
//
// Tuned for a matrix A of a few to some hundred rows, multiplied by a layer's weights B. Six or more rows of A share
// every load of B, and B is read in place. A general BLAS repacks both operands in every call, which costs more than it
// gains here. The product runs on the calling thread: callers parallelise over whole samples or subproblems. The
// instruction set (AVX-512, AVX2, SSE) is chosen at run time.
//
// Sums are taken in any order, with or without fused multiply-add, but never in a Strassen-like scheme. So the classic
// bound holds: |fl(AB) - AB| <= gamma(k) |A||B|.
#pragma once

#include <cstdint>

namespace plumb::tensor {

enum class Transposed { kNo, kYes };
enum class Result { kOverwrite, kAdd };

// C[m x n] = op(A)[m x k] B[k x n] (+ C), where op(A) is A or its transpose. Rows are stored without gaps.
template <class Real>
void matrix_product(Transposed transpose_a, std::int64_t m, std::int64_t n, std::int64_t k, const Real* a,
                    const Real* b, Result result, Real* c);

// to[columns x rows] = from[rows x columns] transposed.
template <class Real>
void transpose(const Real* from, std::int64_t rows, std::int64_t columns, Real* to);

}  // namespace plumb::tensor
