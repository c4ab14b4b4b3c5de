// panel_product.h: C = A B (+ C) where B is small enough to stay in the cache.
//
// Six or more rows of A share every load of B, and B is read where it lies: nothing is packed. For the shapes
// of convolutions and of a few rows going through a layer this is two to three times faster than a general
// matrix product, which repacks its operands. The instructions (AVX-512, AVX2, SSE) are chosen when the
// program runs.
#pragma once

#include <cstdint>

namespace plumb {

// A is m x k with the given distances between rows and between columns, so that it may be stored transposed;
// B is k x n and C is m x n, both row-major. C is overwritten, or added to if `accumulate`.
template <class Real>
void panel_product(std::int64_t m, std::int64_t n, std::int64_t k, const Real* a, std::int64_t a_row,
                   std::int64_t a_column, const Real* b, Real* c, bool accumulate);

}  // namespace plumb
