// idx.h: images and labels in the IDX format of MNIST, and of the sets that took its place.
//
// In:  the (uncompressed) bytes of a file. Out: its pixels or labels.
// Format: big-endian 32-bit words: 0x00000803, images, rows, columns, then a byte a pixel, row by row; or
//         0x00000801, labels, then a byte a label (http://yann.lecun.com/exdb/mnist/).
//
// Nothing in the header is trusted: the file must have exactly the bytes that the header promises, else
// DataError. `name` stands in errors for where the bytes came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::data {

struct IdxImages {
  std::int64_t count;
  std::int64_t rows;
  std::int64_t columns;
  std::vector<std::uint8_t> pixels;  // count x rows x columns, none of them zero
};

IdxImages read_idx_images(std::string_view bytes, const std::string& name);

std::vector<std::int64_t> read_idx_labels(std::string_view bytes, const std::string& name);

}  // namespace plumb::data
