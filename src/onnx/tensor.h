// tensor.h: stored ONNX tensors (initialisers, constants) as values.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <functional>

#include "onnx/value.h"

namespace plumb::onnx {

// Reads a tensor of floats, integers or truth values (element_type.h lists the types). Side files are looked for in
// `folder`. Sizes are checked against the bytes that are present before anything is allocated. Throws DataError with
// the tensor's name if they do not match, if a number is NaN, or if a side file lies outside the folder.
Value read_tensor(const ::onnx::TensorProto& tensor, const std::filesystem::path& folder, std::int64_t max_elements);

// The same for a sparse tensor, which is returned as a dense one. Its values are 1-D. Its indices are int64: either
// positions in the dense tensor (1-D) or one row of coordinates per value (2-D). They must be in range and ascending.
// `use_room` is called with the number of dense elements before they are allocated; it throws if there are too many.
Value read_sparse_tensor(const ::onnx::SparseTensorProto& tensor, const std::filesystem::path& folder,
                         std::int64_t max_elements, const std::function<void(std::int64_t)>& use_room);

// The number that `bits` encodes in IEEE half precision or in bfloat16; a double holds it exactly.
double from_float16(std::uint16_t bits);
double from_bfloat16(std::uint16_t bits);

}  // namespace plumb::onnx
