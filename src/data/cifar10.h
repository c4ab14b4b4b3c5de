// cifar10.h: a batch of CIFAR-10 in its binary version.
//
// In:  the (uncompressed) bytes of a file. Out: its images and labels.
// Format: records of 3073 bytes: a label from 0 to 9, then 3 channels of 32x32 pixels, row by row
//         (https://www.cs.toronto.edu/~kriz/cifar.html).
//
// The format has no header. A file that is not a whole number of records, or a label above 9, is a DataError. `name`
// stands in errors for the source of the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::data {

struct Cifar10Batch {
  std::vector<std::uint8_t> pixels;  // one image of 3x32x32 for each label
  std::vector<std::int64_t> labels;  // at least one
};

Cifar10Batch read_cifar10(std::string_view bytes, const std::string& name);

}  // namespace plumb::data
