// numbers.h: two things that every folder needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace plumb {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sizes and numbers of things are signed; the standard library's indices are not.
constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace plumb
