#include "onnx/external_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "base/error.h"

namespace plumb::onnx {
namespace {

struct SideFile {
  std::string location;
  std::int64_t offset = 0;
  std::int64_t length = -1;
};

std::int64_t parse_count(const std::string& text, const std::string& key) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw DataError("", fmt::format("the external data's {} is '{}'", key, text));
  }
  return value;
}

SideFile side_file(const ::onnx::TensorProto& tensor) {
  SideFile result;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") result.location = entry.value();
    if (entry.key() == "offset") result.offset = parse_count(entry.value(), "offset");
    if (entry.key() == "length") result.length = parse_count(entry.value(), "length");
  }
  return result;
}

[[noreturn]] void refuse_place(const std::string& location) {
  throw DataError("", fmt::format("external data at '{}', which is not inside the model's folder", location),
                  "keep the side files beside the model, and no symbolic links to files elsewhere");
}

// Follows all symbolic links.
std::filesystem::path resolved(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::path real = std::filesystem::canonical(path, failure);
  if (!failure) return real;
  throw FileError(path.string(), fmt::format("external data cannot be read: {}", failure.message()),
                  "put the model's side files beside it");
}

std::filesystem::path side_path(const std::string& location, const std::filesystem::path& folder) {
  const std::filesystem::path given(location), relative = given.lexically_normal();
  if (location.empty() || relative.is_absolute() || *relative.begin() == "..") refuse_place(location);
  const std::filesystem::path root = resolved(folder.empty() ? "." : folder), real = resolved(root / given);
  if (std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first != root.end()) refuse_place(location);
  std::error_code failure;
  if (!std::filesystem::is_regular_file(real, failure)) {
    throw DataError("", fmt::format("external data at '{}', which is not a file", location),
                    "put the model's side files beside it");
  }
  return real;
}

}  // namespace

std::string read_external_data(const ::onnx::TensorProto& tensor, const std::filesystem::path& folder,
                               std::int64_t expected) {
  const SideFile side = side_file(tensor);
  const std::filesystem::path path = side_path(side.location, folder);
  if (side.length >= 0 && side.length != expected) {
    throw DataError("", fmt::format("{} bytes of external data, but the shape needs {}", side.length, expected));
  }
  std::error_code failure;
  const auto file_size = std::filesystem::file_size(path, failure);
  if (failure) {
    throw FileError(path.string(), fmt::format("external data cannot be read: {}", failure.message()),
                    "put the model's side files beside it");
  }
  if (side.offset > static_cast<std::int64_t>(file_size) ||
      expected > static_cast<std::int64_t>(file_size) - side.offset) {
    throw DataError("", fmt::format("external data file '{}' has {} bytes, but {} bytes from offset {} are needed",
                                    side.location, file_size, expected, side.offset));
  }
  std::string bytes(static_cast<std::size_t>(expected), '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(side.offset);
  if (!stream.read(bytes.data(), expected)) {
    throw FileError(path.string(), "external data cannot be read", "check the file and its permissions");
  }
  return bytes;
}

}  // namespace plumb::onnx
