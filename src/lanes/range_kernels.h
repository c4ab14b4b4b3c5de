// range_kernels.h: sums over the coordinates at which two affine functions have opposite signs, in SIMD.
//
// `a` and `g` are aligned, and `count` is a multiple of kRangeStep; pad with zeros.
#pragma once

#include <cstdint>

namespace plumb::lanes::range_kernels {

inline constexpr std::int64_t kRangeStep = 16;

// The sums of |a_i| and of |g_i|.
struct Opposed {
  float a = 0, g = 0;
};
Opposed opposed(const float* a, const float* g, std::int64_t count);

// The sum of min(|a_i|, factor |g_i|), and its derivative by the factor. Terms whose product a_i g_i underflows may be
// left out.
struct Reach {
  float value = 0, slope = 0;
};
Reach reach(const float* a, const float* g, std::int64_t count, float factor);

}  // namespace plumb::lanes::range_kernels
