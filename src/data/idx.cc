#include "data/idx.h"

#include <fmt/format.h>

#include "base/error.h"
#include "tensor/shape.h"

namespace plumb::data {
namespace {

constexpr std::size_t kWord = 4;
constexpr std::uint32_t kImages = 0x00000803;
constexpr std::uint32_t kLabels = 0x00000801;

std::uint32_t big_endian_word(std::string_view bytes, std::size_t index) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < kWord; ++i) word = word << 8 | static_cast<std::uint8_t>(bytes[kWord * index + i]);
  return word;
}

const char* meaning_of(std::uint32_t magic) {
  if (magic == kImages) return "images";
  if (magic == kLabels) return "labels";
  return "no IDX file of bytes";
}

// Checks the magic word, and that `bytes` is exactly as long as its header says. Returns the sizes in the header.
tensor::Shape checked_sizes(std::string_view bytes, const std::string& name, std::uint32_t magic) {
  const std::size_t rank = magic & 0xff;
  const std::size_t header = kWord * (1 + rank);
  if (bytes.size() < header) {
    throw DataError(name, fmt::format("an IDX header has {} bytes, but this file has only {}", header, bytes.size()),
                    "the file is empty or truncated: get it again");
  }
  const std::uint32_t found = big_endian_word(bytes, 0);
  if (found != magic) {
    throw DataError(name,
                    fmt::format("the file starts with {:#010x} ({}), not with {:#010x} ({})", found, meaning_of(found),
                                magic, meaning_of(magic)),
                    "check that images and labels were not swapped");
  }
  tensor::Shape sizes;
  unsigned __int128 promised = 1;  // a product of up to three 32-bit numbers
  for (std::size_t i = 1; i <= rank; ++i) {
    sizes.push_back(big_endian_word(bytes, i));
    promised *= big_endian_word(bytes, i);
  }
  const std::size_t there = bytes.size() - header;
  if (promised == there && there > 0) return sizes;
  const char* what = meaning_of(magic);
  if (promised == 0)
    throw DataError(name, fmt::format("the header declares {} {}: empty", tensor::to_string(sizes), what));
  if (promised > there) {
    throw DataError(name,
                    fmt::format("the header declares {} {}, but {} bytes are missing", tensor::to_string(sizes), what,
                                promised - there),
                    "the file is truncated or damaged: get it again");
  }
  throw DataError(name,
                  fmt::format("the header declares {} {}, but {} extra bytes follow", tensor::to_string(sizes), what,
                              there - static_cast<std::size_t>(promised)),
                  "the file is damaged: get it again");
}

}  // namespace

IdxImages read_idx_images(std::string_view bytes, const std::string& name) {
  const tensor::Shape sizes = checked_sizes(bytes, name, kImages);
  const std::string_view pixels = bytes.substr(kWord * (1 + sizes.size()));
  return {sizes[0], sizes[1], sizes[2], {pixels.begin(), pixels.end()}};
}

std::vector<std::int64_t> read_idx_labels(std::string_view bytes, const std::string& name) {
  const tensor::Shape sizes = checked_sizes(bytes, name, kLabels);
  std::vector<std::int64_t> labels;
  for (const char c : bytes.substr(kWord * (1 + sizes.size()))) labels.push_back(static_cast<std::uint8_t>(c));
  return labels;
}

}  // namespace plumb::data
