// Any bytes as an IDX file: read in full or refused with a DataError. Every other exception is a defect.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "data/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const plumb::data::IdxImages images = plumb::data::read_idx_images(bytes, "input");
    const auto pixels = images.count * images.rows * images.columns;
    if (pixels <= 0 || static_cast<std::size_t>(pixels) != images.pixels.size()) std::abort();
  } catch (const plumb::DataError&) {
  }
  try {
    if (plumb::data::read_idx_labels(bytes, "input").empty()) std::abort();
  } catch (const plumb::DataError&) {
  }
  return 0;
}
