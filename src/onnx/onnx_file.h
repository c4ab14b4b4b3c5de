// onnx_file.h: reads a network from an ONNX file.
//
// In:  a .onnx file (or .onnx.gz), opset 8 to 21. Its weights are stored inside it or in side files in its folder
//      (onnx/external_data.h).
// Out: the network over Plumb's small set of operations, simplified, and notices for the user (what was dropped). Inner
//      tensors that are asked for become outputs too, after the graph's own.
//
// Sound:  the network is the real-valued function that the stored weights define; nothing is approximated. Constants
//         that are computed at import carry a bound on their rounding. An inner tensor that is asked for has the value
//         that the file defines, whatever simplification does to the nodes around it.
// Bounds: memory grows with what the file really holds; sizes that it only claims are checked first.
// Errors: FileError if the file cannot be read. DataError if it is damaged, if it does not have the tensors asked for,
//         or if it contains operations that are not piecewise linear or not static; all of these are listed at once. A
//         Cast that rounds is not piecewise linear. A node that contradicts ONNX's definition (onnx/form.h) counts as
//         damage.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "network/network.h"

namespace plumb::onnx {

// An inner tensor whose value is asked for.
struct ExposedTensor {
  // The name of the tensor, or of a node whose only result it is. If both exist, the tensor is meant.
  std::string name;
  std::string asked_at;  // the place that asks for it, for errors
};

struct OnnxOptions {
  // No tensor may have more elements than this, whatever the file says.
  std::int64_t max_elements = tensor::kMaxElements;
  // False keeps the operations as the file has them, one by one.
  bool simplify = true;
  // These tensors become outputs, in this order.
  std::vector<ExposedTensor> exposed = {};
};

struct ImportedNetwork {
  network::Network network;
  std::vector<std::string> notices;
};

ImportedNetwork import_onnx(const std::filesystem::path& path, const OnnxOptions& options = {});

// The same from the file's uncompressed bytes. `name` stands for the file in errors; side files are looked for in
// `folder`.
ImportedNetwork import_onnx_bytes(std::string_view bytes, const std::string& name, const std::filesystem::path& folder,
                                  const OnnxOptions& options = {});

}  // namespace plumb::onnx
