// external_data.h: the bytes of a tensor that are stored in a file beside the model.
//
// In:  the tensor, the model's folder, and the number of bytes that the tensor's shape needs. Out: these bytes.
// The folder is taken from the path that names the model. If this path is a symbolic link, the side files lie beside
// the link, as in ONNX Runtime.
// Bounds: a model must not be able to make Plumb read anything else. Once all symbolic links are followed, the file
//         must be a regular file in the folder or in a folder below it.
// Errors: DataError if the location or the sizes are impossible; FileError if the file cannot be read.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>

namespace plumb::onnx {

std::string read_external_data(const ::onnx::TensorProto& tensor, const std::filesystem::path& folder,
                               std::int64_t expected);

}  // namespace plumb::onnx
