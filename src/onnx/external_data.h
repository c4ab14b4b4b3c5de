// external_data.h: the bytes of a tensor that are stored in a file beside the model.
//
// In:  the tensor, the model's folder, how many bytes its shape needs. Out: these bytes.
// The folder is that of the path by which the model is named: a model that is reached by a symbolic link has its side
// files beside the link, as in ONNX Runtime.
// Bounds: a model must not be able to make Plumb read anything else. The file must lie in the folder or in one inside
// of
//         it once all symbolic links are followed, and must be a regular file.
// Errors: DataError if the place or the sizes are not possible; FileError if the file cannot be read.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>

namespace plumb::onnx {

std::string read_external_data(const ::onnx::TensorProto& tensor, const std::filesystem::path& folder,
                               std::int64_t expected);

}  // namespace plumb::onnx
