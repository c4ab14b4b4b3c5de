#include "data/cifar10.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumb::data {
namespace {

constexpr std::size_t kImage = 3 * 32 * 32;
constexpr std::size_t kRecord = 1 + kImage;
constexpr std::uint8_t kClasses = 10;

}  // namespace

Cifar10Batch read_cifar10(std::string_view bytes, const std::string& name) {
  const std::size_t records = bytes.size() / kRecord;
  const std::size_t left_over = bytes.size() % kRecord;
  if (bytes.empty()) throw DataError(name, "the file is empty", "get it again");
  if (left_over != 0) {
    throw DataError(
        name,
        fmt::format("record {} at byte {} has {} bytes instead of {}", records, records * kRecord, left_over, kRecord),
        "the file is truncated, or is not CIFAR-10's binary version");
  }
  Cifar10Batch batch;
  batch.labels.reserve(records);
  batch.pixels.reserve(records * kImage);
  for (std::size_t r = 0; r < records; ++r) {
    const std::string_view record = bytes.substr(r * kRecord, kRecord);
    const auto label = static_cast<std::uint8_t>(record[0]);
    if (label >= kClasses) {
      throw DataError(name, fmt::format("record {} at byte {} has label {}, above 9", r, r * kRecord, label),
                      "the file is damaged, or is not CIFAR-10's binary version");
    }
    batch.labels.push_back(label);
    batch.pixels.insert(batch.pixels.end(), record.begin() + 1, record.end());
  }
  return batch;
}

}  // namespace plumb::data
