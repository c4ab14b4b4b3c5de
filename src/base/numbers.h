// numbers.h: infinity, and signed numbers as indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace plumb {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sizes and counts are signed in Plumb, but unsigned in the standard library.
constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace plumb
