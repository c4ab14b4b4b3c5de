#include <algorithm>

#include "bounds/backward.h"

namespace plumb {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// What a convolution's output at (y, x) sees of its input; empty if that is padding alone.
Window seen_window(const ConvolutionGeometry& g, std::int64_t y, std::int64_t x) {
  const std::int64_t top = y * g.stride_height - g.pad_top, left = x * g.stride_width - g.pad_left;
  return {std::max<std::int64_t>(0, top), std::min(g.in_height, top + (g.kernel_height - 1) * g.dilation_height + 1),
          std::max<std::int64_t>(0, left), std::min(g.in_width, left + (g.kernel_width - 1) * g.dilation_width + 1)};
}

// The weights that make output channel `channel` at (y, x), laid out over its window.
void copy_kernel(const Convolution& op, std::int64_t channel, std::int64_t y, std::int64_t x, const Window& window,
                 double sign, double* row) {
  const ConvolutionGeometry& g = op.geometry;
  const double* weight = op.weight.values().data() + channel * g.window();
  const std::int64_t first = channel / g.out_per_group() * g.in_per_group();
  for (std::int64_t c = 0; c < g.in_per_group(); ++c) {
    for (std::int64_t ky = 0; ky < g.kernel_height; ++ky) {
      const std::int64_t in_y = y * g.stride_height - g.pad_top + ky * g.dilation_height;
      for (std::int64_t kx = 0; kx < g.kernel_width; ++kx, ++weight) {
        const std::int64_t in_x = x * g.stride_width - g.pad_left + kx * g.dilation_width;
        if (in_y < 0 || in_y >= g.in_height || in_x < 0 || in_x >= g.in_width) continue;
        row[((first + c) * window.height() + in_y - window.y0) * window.width() + in_x - window.x0] = sign * *weight;
      }
    }
  }
}

Functionals plain_units(const Image& image, NodeId id, std::int64_t y, std::int64_t x,
                        const std::vector<std::int64_t>& channels) {
  const auto count = static_cast<std::int64_t>(channels.size());
  RowBlock rows(image, {y, y + 1, x, x + 1}, 2 * count);
  for (std::int64_t k = 0; k < count; ++k) {
    rows.row(k)[channels[index(k)]] = 1.0;
    rows.row(count + k)[channels[index(k)]] = -1.0;
  }
  Functionals result{2 * count, {}, {}, {}};
  result.rows.emplace(id, std::move(rows));
  return result;
}

}  // namespace

Functionals unit_functionals(const RegionBounds& bounds, NodeId id, std::int64_t y, std::int64_t x,
                             const std::vector<std::int64_t>& channels) {
  const Node& node = bounds.network.network().node(id);
  const Image& image = bounds.network.image(id);
  const auto count = static_cast<std::int64_t>(channels.size());
  const auto* conv = std::get_if<Convolution>(&node.op);
  const auto* dense = std::get_if<Dense>(&node.op);
  RowBlock rows;
  if (conv != nullptr) {
    const ConvolutionGeometry& g = conv->geometry;
    const Window window = seen_window(g, y, x);
    if (window.height() <= 0 || window.width() <= 0) return plain_units(image, id, y, x, channels);
    rows = RowBlock({g.in_channels, g.in_height, g.in_width}, window, 2 * count);
    for (std::int64_t k = 0; k < count; ++k) {
      copy_kernel(*conv, channels[index(k)], y, x, window, 1.0, rows.row(k));
      copy_kernel(*conv, channels[index(k)], y, x, window, -1.0, rows.row(count + k));
    }
  } else if (dense != nullptr && dense->rows == 1) {
    rows = RowBlock({dense->inputs, 1, 1}, {}, 2 * count);
    for (std::int64_t k = 0; k < count; ++k) {
      const double* weight = dense->weight.values().data() + channels[index(k)] * dense->inputs;
      std::copy(weight, weight + dense->inputs, rows.row(k));
      std::transform(weight, weight + dense->inputs, rows.row(count + k), [](double w) { return -w; });
    }
  } else {
    return plain_units(image, id, y, x, channels);
  }

  Functionals result{2 * count, {}, {}, {}};
  const NodeId argument = node.arguments[0];
  result.rows.emplace(argument, reshaped(std::move(rows), bounds.network.image(argument)));
  const std::vector<double>&biases = bounds.network.map(id)->biases(), &slack = bounds.scale[id].slack;
  for (const double sign : {1.0, -1.0}) {
    for (const std::int64_t channel : channels) {
      const std::size_t element = index((channel * image.height + y) * image.width + x);
      result.constants.push_back(biases.empty() ? 0.0 : sign * biases[element]);
      result.errors.push_back(slack.empty() ? 0.0 : slack[element]);
    }
  }
  return result;
}

}  // namespace plumb
