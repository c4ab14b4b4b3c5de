// shape.h: the dimensions of a dense, row-major tensor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::tensor {

using Shape = std::vector<std::int64_t>;

// No tensor that Plumb handles may have more elements: indices fit 32 bits, and a hostile file cannot ask for
// more memory than a machine has before it is checked.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 28;

// The product of the dimensions. Throws DataError if a dimension is negative or the product exceeds the
// limit.
std::int64_t element_count(const Shape& shape, std::int64_t limit = kMaxElements);

// "1x3x32x32"; "scalar" for the empty shape.
std::string to_string(const Shape& shape);

// The number of elements between neighbours along each dimension.
std::vector<std::int64_t> strides_of(const Shape& shape);

}  // namespace plumb::tensor
