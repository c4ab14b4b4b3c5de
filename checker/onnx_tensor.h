// onnx_tensor.h: tensors that an ONNX file stores: inside it, sparse, or in another file of its folder.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>

#include "onnx_graph.h"

namespace checker {

Value read_tensor(const onnx::TensorProto& tensor, const std::filesystem::path& folder);
Value read_sparse_tensor(const onnx::SparseTensorProto& tensor, const std::filesystem::path& folder, Graph& graph);

}  // namespace checker
