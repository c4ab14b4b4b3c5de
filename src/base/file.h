// file.h: the bytes of a file, whether stored plain or gzip-compressed.
//
// In:  a path. Out: the whole (uncompressed) content in memory.
// A missing file, a directory or a missing permission is a FileError. A damaged gzip stream or content above the limit
// is a DataError. Each names the file and says what to do. Sizes that a file claims are not trusted: buffers grow with
// what was actually read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace plumb {

inline constexpr std::int64_t kMaxFileBytes = std::int64_t{8} << 30;

// The content of `path`, uncompressed if it starts with gzip's magic bytes (whatever its name).
std::string read_file(const std::filesystem::path& path, std::int64_t max_bytes = kMaxFileBytes);

// Uncompresses `bytes` if they start with gzip's magic bytes; returns them unchanged otherwise. Errors name `name` as
// the source of the bytes.
std::string uncompressed(std::string bytes, const std::string& name, std::int64_t max_bytes = kMaxFileBytes);

}  // namespace plumb
