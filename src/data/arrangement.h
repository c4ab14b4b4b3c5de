// arrangement.h: how the elements of a stored sample are ordered as the input of a network.
//
// In:  the shape of the stored sample, the order of its dimensions, the shape of the network's input.
// Out: whether the sample fits, and if so in which order its elements go into the input.
//
// Dimensions of size one do not matter. Only images are ever reordered: their channels move to the front or to the
// back, which transposes a matrix of pixels by channels. Nothing else is guessed.
#pragma once

#include <cstdint>
#include <optional>

#include "data/data_set.h"
#include "tensor/shape.h"

namespace plumb::data {

// The sample is read as a rows x columns matrix, and the input is its transpose. With one row the order stays the same.
struct Arrangement {
  std::int64_t rows;
  std::int64_t columns;
};

// The order in which a sample of shape `stored` goes into an input of shape `wanted`; nothing if it does not fit. It
// fits
//   - if the shapes agree once `stored` has its channels first;
//   - if either is flat and the numbers of elements agree. A flat sample with channels last also needs a height and a
//     width. It takes them from the last three dimensions of `wanted`, which are read as channels, height, width; it
//     does not fit if these are clearly an image with channels last (32x32x3);
//   - if `wanted` has the same image with its channels last.
std::optional<Arrangement> arrangement(const tensor::Shape& stored, Layout layout, const tensor::Shape& wanted);

}  // namespace plumb::data
