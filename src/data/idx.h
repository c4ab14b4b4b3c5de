// idx.h: images and labels in the IDX format of MNIST, which its successors use too.
//
// In:  the (uncompressed) bytes of a file. Out: its pixels or labels.
// Format: big-endian 32-bit words, then bytes (http://yann.lecun.com/exdb/mnist/).
//         Images: 0x00000803, the number of images, rows, columns, then one byte per pixel, row by row.
//         Labels: 0x00000801, the number of labels, then one byte per label.
//
// Nothing in the header is trusted: a file that does not have exactly the number of bytes that the header states is a
// DataError. `name` stands in errors for the source of the bytes.
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
  std::vector<std::uint8_t> pixels;  // count x rows x columns; none of the three is zero
};

IdxImages read_idx_images(std::string_view bytes, const std::string& name);

std::vector<std::int64_t> read_idx_labels(std::string_view bytes, const std::string& name);

}  // namespace plumb::data
