// terms.h: the affine operations, element by element: y = sum of weights times elements of arguments, plus a bias.
//
// This is the only description of what these operations compute. Values are computed with it forwards, and linear
// functionals are pulled through it backwards.
#pragma once

#include <algorithm>

#include "network.h"

namespace checker {

inline const Numbers kOne{{1.0}, {}};

// The terms of one element in runs: element first + k of argument `argument` has the weight weights[first_weight + k],
// for k < count. Calls visit(argument, first, weights, first_weight, count) for each run; no element occurs in two runs
// of the same argument except where a Move or Sum names an argument twice.
template <class Visit>
void runs_of(const Dense& op, std::int64_t element, Visit&& visit) {
  const std::int64_t row = element / op.outputs, output = element % op.outputs;
  visit(std::size_t{0}, row * op.inputs, op.weight, output * op.inputs, op.inputs);
}

template <class Visit>
void runs_of(const Convolution& op, std::int64_t element, Visit&& visit) {
  const Geometry& g = op.geometry;
  const std::int64_t plane = g.out_height * g.out_width, channel = element / plane;
  const std::int64_t top = element % plane / g.out_width * g.stride_height - g.pad_top;
  const std::int64_t left = element % g.out_width * g.stride_width - g.pad_left;
  const std::int64_t channels = g.in_channels / g.groups;
  const std::int64_t first_channel = channel / (g.out_channels / g.groups) * channels;
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t ky = 0; ky < g.kernel_height; ++ky) {
      const std::int64_t y = top + ky * g.dilation_height;
      if (y < 0 || y >= g.in_height) continue;
      const std::int64_t row = ((first_channel + c) * g.in_height + y) * g.in_width;
      const std::int64_t weight = ((channel * channels + c) * g.kernel_height + ky) * g.kernel_width;
      if (g.dilation_width == 1) {
        const std::int64_t first = std::max<std::int64_t>(0, -left), last = std::min(g.kernel_width, g.in_width - left);
        if (first < last) visit(std::size_t{0}, row + left + first, op.weight, weight + first, last - first);
        continue;
      }
      for (std::int64_t kx = 0; kx < g.kernel_width; ++kx) {
        const std::int64_t x = left + kx * g.dilation_width;
        if (x >= 0 && x < g.in_width) visit(std::size_t{0}, row + x, op.weight, weight + kx, std::int64_t{1});
      }
    }
  }
}

// The position o with o stride - pad + k dilation = i; -1 if there is none below `size`.
inline std::int64_t transposed_position(std::int64_t i, std::int64_t k, std::int64_t stride, std::int64_t dilation,
                                        std::int64_t pad, std::int64_t size) {
  const std::int64_t scaled = i + pad - k * dilation;
  return scaled < 0 || scaled % stride != 0 || scaled / stride >= size ? -1 : scaled / stride;
}

template <class Visit>
void runs_of(const TransposedConvolution& op, std::int64_t element, Visit&& visit) {
  const Geometry& g = op.geometry;
  const std::int64_t plane = g.in_height * g.in_width, channel = element / plane;
  const std::int64_t y = element % plane / g.in_width, x = element % g.in_width;
  const std::int64_t channels = g.in_channels / g.groups, out_channels = g.out_channels / g.groups;
  const std::int64_t group = channel / channels;
  for (std::int64_t o = group * out_channels; o < (group + 1) * out_channels; ++o) {
    const std::int64_t kernel = (o * channels + channel % channels) * g.kernel_height;
    for (std::int64_t ky = 0; ky < g.kernel_height; ++ky) {
      const std::int64_t from_y =
          transposed_position(y, ky, g.stride_height, g.dilation_height, g.pad_top, g.out_height);
      if (from_y < 0) continue;
      for (std::int64_t kx = 0; kx < g.kernel_width; ++kx) {
        const std::int64_t from_x =
            transposed_position(x, kx, g.stride_width, g.dilation_width, g.pad_left, g.out_width);
        if (from_x < 0) continue;
        visit(std::size_t{0}, (o * g.out_height + from_y) * g.out_width + from_x, op.weight,
              (kernel + ky) * g.kernel_width + kx, std::int64_t{1});
      }
    }
  }
}

template <class Visit>
void runs_of(const Scale& op, std::int64_t element, Visit&& visit) {
  visit(std::size_t{0}, element, op.scale, element / op.inner % op.channels, std::int64_t{1});
}

// Calls visit() for the runs of an element of a node; for none if the node is not affine.
template <class Visit>
void for_each_run(const Network& network, const Node& node, std::int64_t element, Visit&& visit) {
  if (const auto* dense = std::get_if<Dense>(&node.op)) return runs_of(*dense, element, visit);
  if (const auto* convolution = std::get_if<Convolution>(&node.op)) return runs_of(*convolution, element, visit);
  if (const auto* transposed = std::get_if<TransposedConvolution>(&node.op))
    return runs_of(*transposed, element, visit);
  if (const auto* scale = std::get_if<Scale>(&node.op)) return runs_of(*scale, element, visit);
  if (const auto* sum = std::get_if<Sum>(&node.op)) {
    for (std::size_t j = 0; j < node.arguments.size(); ++j) {
      visit(j, element, sum->coefficients, static_cast<std::int64_t>(j), std::int64_t{1});
    }
  }
  if (const auto* move = std::get_if<Move>(&node.op)) {
    std::int64_t source = move->source[static_cast<std::size_t>(element)];
    if (source < 0) return;
    std::size_t j = 0;
    while (source >= network.nodes[node.arguments[j]].size) source -= network.nodes[node.arguments[j++]].size;
    visit(j, source, kOne, std::int64_t{0}, std::int64_t{1});
  }
}

// What is added to the terms of an element: number `index` of `numbers`; nothing if `numbers` is null.
struct Bias {
  const Numbers* numbers = nullptr;
  std::int64_t index = 0;
};

inline Bias bias_of(const Node& node, std::int64_t element) {
  Bias bias;
  if (const auto* constant = std::get_if<Constant>(&node.op)) bias = {&constant->values, element};
  if (const auto* dense = std::get_if<Dense>(&node.op)) bias = {&dense->bias, element % dense->outputs};
  if (const auto* c = std::get_if<Convolution>(&node.op)) {
    bias = {&c->bias, element / (c->geometry.out_height * c->geometry.out_width)};
  }
  if (const auto* t = std::get_if<TransposedConvolution>(&node.op)) {
    bias = {&t->bias, element / (t->geometry.in_height * t->geometry.in_width)};
  }
  if (const auto* scale = std::get_if<Scale>(&node.op))
    bias = {&scale->shift, element / scale->inner % scale->channels};
  return bias.numbers == nullptr || bias.numbers->empty() ? Bias{} : bias;
}

}  // namespace checker
