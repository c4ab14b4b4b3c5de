// Any bytes as a .npy file: read in full or refused with a DataError. Every other exception is a defect.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "data/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const plumb::data::NpyArray array = plumb::data::read_npy(bytes, "input");
    const auto count = static_cast<std::size_t>(plumb::tensor::element_count(array.shape));
    const auto stored = std::visit([](const auto& values) { return values.size(); }, array.values);
    if (count != stored) std::abort();
  } catch (const plumb::DataError&) {
  }
  return 0;
}
