// windows.h: maps of sliding windows, as patterns of runs.
#pragma once

#include <functional>

#include "network.h"

namespace checker {

// An element of a plane of the input, and the weight that it gets.
struct Tap {
  std::int64_t element = 0, weight = 0;
  auto operator<=>(const Tap&) const = default;
};
using Taps = std::vector<Tap>;

// Which position of the input entry k of the kernel reads in dimension d, for a position of the result.
using Along = std::function<std::int64_t(std::size_t d, std::int64_t position, std::int64_t k)>;

// What each position of the result in a plane reads, with the weights of a plane of the kernel; both in row-major
// order. What lies outside of the input is left out.
std::vector<Taps> taps_of(const Shape& in, const Shape& out, const Shape& kernel, const Along& along);

struct Windows {
  std::vector<Taps> taps;
  std::int64_t plane = 1, kernel = 1;  // elements of a plane of the input, and of the kernel
  std::int64_t samples = 1, in_channels = 1, out_channels = 1, groups = 1;
  std::function<void(std::int64_t)> take = [](std::int64_t) {};  // told how many runs are about to be made
};

// Each channel of the result reads the channels of its group, with weights that lie `step` apart from channel to
// channel and begin at first_weight(channel, position). A bias per channel, or none.
Affine map_of(const Windows& windows, std::int64_t step,
              const std::function<std::int64_t(std::int64_t channel, std::int64_t position)>& first_weight,
              Numbers weights, Numbers biases);
// Weights are out_channels x (in_channels / groups) x kernel.
Affine convolution(const Windows& windows, Numbers weights, Numbers biases);
// Weights are in_channels x (out_channels / groups) x kernel.
Affine transposed_convolution(const Windows& windows, Numbers weights, Numbers biases);

}  // namespace checker
