#include "report/png.h"

#include <png.h>

#include "base/error.h"

namespace plumb::report {
namespace {

png_uint_32 format_of(std::int64_t channels) {
  if (channels == 1) return PNG_FORMAT_GRAY;
  if (channels == 3) return PNG_FORMAT_RGB;
  if (channels == 4) return PNG_FORMAT_RGBA;
  throw InternalError("png", "a picture has 1, 3 or 4 channels");
}

}  // namespace

std::string png_of(const Picture& picture) {
  const auto size = static_cast<std::size_t>(picture.width * picture.height * picture.channels);
  if (picture.width <= 0 || picture.height <= 0 || picture.bytes.size() != size) {
    throw InternalError("png", "the size of the picture does not fit its bytes");
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = format_of(picture.channels);
  png_alloc_size_t length = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(length, '\0');
  if (png_image_write_to_memory(&image, file.data(), &length, 0, picture.bytes.data(), 0, nullptr) == 0) {
    throw InternalError("png", image.message);
  }
  file.resize(length);
  return file;
}

std::string base64_of(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (at + k < bytes.size() ? static_cast<unsigned char>(bytes[at + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const bool used = at + k <= bytes.size();  // four digits for three bytes, three for two, two for one
      text += used ? kDigits[three >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace plumb::report
