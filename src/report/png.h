// png.h: pictures as PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::report {

// Bytes row by row, channels together.
struct Picture {
  std::int64_t width = 0, height = 0;
  std::int64_t channels = 1;  // 1: grey; 3: red, green, blue; 4: the same and opacity
  std::vector<std::uint8_t> bytes;
};

// A PNG file. The same picture gives the same bytes. Throws InternalError if the numbers of a picture do not fit.
std::string png_of(const Picture& picture);

// For an address of the page: the bytes in base 64.
std::string base64_of(const std::string& bytes);

}  // namespace plumb::report
