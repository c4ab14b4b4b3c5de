// tensor.h: stored ONNX tensors (initialisers, constants) as values.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <functional>

#include "onnx/value.h"

namespace plumb::onnx {

// Reads a tensor of any float, integer or truth type; `folder` is where side files lie. Sizes are checked
// against the bytes that are there before anything is allocated. Throws DataError (with the tensor's name) if
// they do not fit, a number is NaN, or a side file lies outside of the folder.
Value read_tensor(const ::onnx::TensorProto& tensor, const std::filesystem::path& folder, std::int64_t max_elements);

// The same for a sparse tensor, as a dense one: its values are 1-D, its indices int64, either positions in the dense
// tensor (1-D) or one row of coordinates for each value (2-D). They must be in range and ascending. `use_room` is
// called with the number of dense elements before they are made; it throws if these are too many.
Value read_sparse_tensor(const ::onnx::SparseTensorProto& tensor, const std::filesystem::path& folder,
                         std::int64_t max_elements, const std::function<void(std::int64_t)>& use_room);

// The double nearest to what `bits` encode in IEEE half precision or bfloat16: exact.
double from_float16(std::uint16_t bits);
double from_bfloat16(std::uint16_t bits);

}  // namespace plumb::onnx
