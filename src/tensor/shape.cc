#include "tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace plumb::tensor {

std::int64_t element_count(const Shape& shape, std::int64_t limit) {
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) throw DataError("", fmt::format("the shape {} has a negative dimension", to_string(shape)));
    empty = empty || size == 0;
  }
  if (empty) return 0;
  for (const std::int64_t size : shape) {
    if (size > limit / count) {
      throw DataError("", fmt::format("a tensor of shape {} is larger than the {} elements that Plumb handles",
                                      to_string(shape), limit));
    }
    count *= size;
  }
  return count;
}

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

}  // namespace plumb::tensor
