// Any bytes as a .npz archive: read or refused with a DataError. Every other exception is a defect.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "data/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    plumb::data::read_npz(bytes, "input", std::int64_t{1} << 24);
  } catch (const plumb::DataError&) {
  }
  return 0;
}
