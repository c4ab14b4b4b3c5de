// file.h: the bytes of a file, uncompressed if it is a gzip file, which its first two bytes say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace checker {

// No file may be larger than this, before or after it is uncompressed.
inline constexpr std::size_t kMaxFileSize = std::size_t{1} << 32;

// Throws BadFile if the file cannot be read, is damaged, or has more than `max_size` bytes.
std::string read_file(const std::string& path, std::size_t max_size = kMaxFileSize);

// The SHA-256 of the bytes, in hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace checker
