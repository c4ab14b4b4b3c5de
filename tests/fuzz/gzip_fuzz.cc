// Any bytes as a gzip stream: uncompressed up to the limit, or refused with a DataError. Every other exception is a
// defect.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::int64_t kMost = std::int64_t{1} << 24;
  try {
    if (plumb::uncompressed(bytes, "input", kMost).size() > static_cast<std::size_t>(kMost)) std::abort();
  } catch (const plumb::DataError&) {
  }
  return 0;
}
