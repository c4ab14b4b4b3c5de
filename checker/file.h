// file.h: the bytes of a file, plain or compressed by gzip.
#pragma once

#include <string>

namespace checker {

// The content, uncompressed. Throws BadFile if the file cannot be read or has more than `limit` bytes.
std::string read_file(const std::string& path, std::size_t limit);

// The SHA-256 of some bytes, in hexadecimal.
std::string sha256_of(const std::string& bytes);

}  // namespace checker
