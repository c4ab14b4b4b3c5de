// shape.h: the dimensions of a dense, row-major tensor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::tensor {

using Shape = std::vector<std::int64_t>;

// The largest number of elements of a tensor. It lets indices fit into 32 bits, and keeps a hostile file from
// requesting more memory than a machine has.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 28;

// The product of the dimensions. Throws DataError if a dimension is negative or the product exceeds the limit.
std::int64_t element_count(const Shape& shape, std::int64_t limit = kMaxElements);

// "1x3x32x32"; "scalar" for the empty shape.
std::string to_string(const Shape& shape);

// The number of elements between neighbours along each dimension.
std::vector<std::int64_t> strides_of(const Shape& shape);

}  // namespace plumb::tensor
