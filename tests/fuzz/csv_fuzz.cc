// Any bytes as a CSV file: read in full or refused with a DataError. Every other exception is a defect.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "data/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const char* const scale : {"1", "1/255"}) {
    try {
      const plumb::data::CsvSamples samples = plumb::data::read_csv(bytes, "input", plumb::data::Scale::parse(scale));
      const auto count = samples.labels.size() * static_cast<std::size_t>(samples.width);
      if (count == 0 || count != samples.values.size()) std::abort();
    } catch (const plumb::DataError&) {
    }
  }
  return 0;
}
