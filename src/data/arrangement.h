// arrangement.h: how a stored sample becomes the input that a network wants.
//
// In:  the shape of the stored sample, the order of its dimensions, the shape of the network's input.
// Out: whether the sample fits, and if so in which order its elements go into the input.
//
// Dimensions of size one do not matter. Images are the only thing that is ever reordered: channels move to
// the front or to the back, which transposes a matrix of pixels by channels. Nothing else is guessed.
#pragma once

#include <cstdint>
#include <optional>

#include "data/data_set.h"
#include "tensor/shape.h"

namespace plumb::data {

// The sample is a rows x columns matrix, and the input is its transpose. One row: the order stays.
struct Arrangement {
  std::int64_t rows;
  std::int64_t columns;
};

// Nothing if a sample of shape `stored` does not fit an input of shape `wanted`. It fits
//   - if the shapes agree once `stored` has its channels first;
//   - if either is flat: then only the counts must agree. A flat sample whose channels are last takes its
//   height
//     and width from `wanted`, whose last three dimensions are read as channels, height, width, unless they
//     are clearly an image with channels last (32x32x3);
//   - if `wanted` has the same image with its channels last.
std::optional<Arrangement> arrangement(const tensor::Shape& stored, Layout layout, const tensor::Shape& wanted);

}  // namespace plumb::data
