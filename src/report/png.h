// png.h: pictures as PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::report {

// Bytes row by row, with the channels of a pixel together.
struct Picture {
  std::int64_t width = 0, height = 0;
  std::int64_t channels = 1;  // 1: grey; 3: red, green, blue; 4: red, green, blue, opacity
  std::vector<std::uint8_t> bytes;
};

// Encodes a picture as a PNG file. The same picture produces the same bytes. Throws InternalError if the picture's
// numbers are inconsistent.
std::string png_of(const Picture& picture);

// Encodes bytes in base 64, for a data: address in the page.
std::string base64_of(const std::string& bytes);

}  // namespace plumb::report
