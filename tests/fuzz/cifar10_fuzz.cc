// Any bytes as a CIFAR-10 batch: read in full or refused with a DataError. Every other exception is a defect.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "data/cifar10.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const plumb::data::Cifar10Batch batch = plumb::data::read_cifar10(bytes, "input");
    if (batch.pixels.size() + batch.labels.size() != size) std::abort();
  } catch (const plumb::DataError&) {
  }
  return 0;
}
