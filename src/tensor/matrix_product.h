// matrix_product.h: C = A B (+ C) for row-major matrices, in double and float32.
//
// Carried out on the calling thread alone, by our own kernel where B stays in the cache and by the BLAS where
// it does not: parallelism belongs to the callers, who have whole samples or subproblems to hand out.
// Any order of summation may be used, with or without fused multiply-add; no Strassen-like scheme. So the
// classic bound |fl(AB) - AB| <= gamma(k) |A||B| holds.
#pragma once

#include <cstdint>

namespace plumb {

enum class Transposed { kNo, kYes };

enum class Result { kOverwrite, kAdd };

// C[m x n] = op(A)[m x k] op(B)[k x n] (+ C), where op transposes or not. Matrices are stored without gaps.
template <class Real>
void matrix_product(Transposed transpose_a, Transposed transpose_b, std::int64_t m, std::int64_t n,
                    std::int64_t k, const Real* a, const Real* b, Result result, Real* c);

// to[columns x rows] = from[rows x columns] transposed.
template <class Real>
void transpose(const Real* from, std::int64_t rows, std::int64_t columns, Real* to);

}  // namespace plumb
