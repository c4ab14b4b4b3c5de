#include <algorithm>
#include <functional>

#include "base/numbers.h"
#include "bounds/backward.h"

namespace plumb::bounds {
namespace {

// The window of its input on which a convolution's output at (y, x) depends. Empty if that is only padding.
Window seen_window(const tensor::ConvolutionGeometry& g, std::int64_t y, std::int64_t x) {
  const std::int64_t top = y * g.stride_height - g.pad_top, left = x * g.stride_width - g.pad_left;
  return {std::max<std::int64_t>(0, top), std::min(g.in_height, top + (g.kernel_height - 1) * g.dilation_height + 1),
          std::max<std::int64_t>(0, left), std::min(g.in_width, left + (g.kernel_width - 1) * g.dilation_width + 1)};
}

// Copies the weights of output channel `channel` at (y, x) to `row`, laid out over the window.
void copy_kernel(const network::Convolution& op, std::int64_t channel, std::int64_t y, std::int64_t x,
                 const Window& window, double* row) {
  const tensor::ConvolutionGeometry& g = op.geometry;
  const double* weight = op.weight.values().data() + channel * g.window();
  const std::int64_t first = channel / g.out_per_group() * g.in_per_group();
  const std::int64_t top = y * g.stride_height - g.pad_top, left = x * g.stride_width - g.pad_left;
  // The columns of the kernel that lie inside the image.
  const std::int64_t begin = left >= 0 ? 0 : (-left + g.dilation_width - 1) / g.dilation_width;
  const std::int64_t end = std::min(g.kernel_width, (g.in_width - left + g.dilation_width - 1) / g.dilation_width);
  for (std::int64_t c = 0; c < g.in_per_group(); ++c) {
    for (std::int64_t ky = 0; ky < g.kernel_height; ++ky, weight += g.kernel_width) {
      const std::int64_t in_y = top + ky * g.dilation_height;
      if (in_y < 0 || in_y >= g.in_height) continue;
      double* to = row + ((first + c) * window.height() + in_y - window.y0) * window.width() + left - window.x0;
      for (std::int64_t kx = begin; kx < end; ++kx) to[kx * g.dilation_width] = weight[kx];
    }
  }
}

// One row per channel, with a single coefficient of 1.
RowBlock plain_units(const Image& image, std::int64_t y, std::int64_t x, const std::vector<std::int64_t>& channels) {
  RowBlock rows(image, {y, y + 1, x, x + 1}, static_cast<std::int64_t>(channels.size()));
  std::int64_t r = 0;
  for (const std::int64_t channel : channels) rows.row(r++)[channel] = 1;
  return rows;
}

// The weights that compute the elements, as rows over the node's argument. No rows if the node is neither a convolution
// nor a dense map of one row, or if the elements depend on padding only.
struct WeightRows {
  std::int64_t y, x;
  const std::vector<std::int64_t>& channels;

  RowBlock operator()(const network::Convolution& op) const {
    const tensor::ConvolutionGeometry& g = op.geometry;
    const Window window = seen_window(g, y, x);
    if (window.height() <= 0 || window.width() <= 0) return {};
    RowBlock rows({g.in_channels, g.in_height, g.in_width}, window, static_cast<std::int64_t>(channels.size()));
    std::int64_t r = 0;
    for (const std::int64_t channel : channels) copy_kernel(op, channel, y, x, window, rows.row(r++));
    return rows;
  }
  RowBlock operator()(const network::Dense& op) const {
    if (op.rows != 1) return {};
    RowBlock rows({op.inputs, 1, 1}, {}, static_cast<std::int64_t>(channels.size()));
    std::int64_t r = 0;
    for (const std::int64_t channel : channels) {
      std::copy_n(op.weight.values().data() + channel * op.inputs, op.inputs, rows.row(r++));
    }
    return rows;
  }
  RowBlock operator()(const network::Input&) const { return {}; }
  RowBlock operator()(const network::Constant&) const { return {}; }
  RowBlock operator()(const network::TransposedConvolution&) const { return {}; }
  RowBlock operator()(const network::ScaleShift&) const { return {}; }
  RowBlock operator()(const network::IndexMap&) const { return {}; }
  RowBlock operator()(const network::Sum&) const { return {}; }
  RowBlock operator()(const network::Relu&) const { return {}; }
  RowBlock operator()(const network::Maximum&) const { return {}; }
};

// Appends the same rows with their signs changed.
void add_negatives(RowBlock& block) {
  const std::size_t size = block.values.size();
  block.values.resize(2 * size);
  std::transform(block.values.begin(), block.values.begin() + static_cast<std::ptrdiff_t>(size),
                 block.values.begin() + static_cast<std::ptrdiff_t>(size), std::negate<>());
  block.rows *= 2;
}

void add_negatives(Functionals& functionals) {
  for (auto& [id, block] : functionals.rows) add_negatives(block);
  const std::size_t constants = functionals.constants.size();
  for (std::size_t i = 0; i < constants; ++i) {
    functionals.constants.push_back(-functionals.constants[i]);
    functionals.errors.push_back(functionals.errors[i]);
  }
  functionals.count *= 2;
}

}  // namespace

Functionals unit_functionals(const RegionBounds& bounds, network::NodeId id, std::int64_t y, std::int64_t x,
                             const std::vector<std::int64_t>& channels, Signs signs) {
  const network::Node& node = bounds.network->network().node(id);
  const Image& image = bounds.network->image(id);
  Functionals result{static_cast<std::int64_t>(channels.size()), {}, {}, {}};
  RowBlock rows = std::visit(WeightRows{y, x, channels}, node.op);
  if (rows.rows == 0) {
    result.rows.emplace(id, plain_units(image, y, x, channels));
  } else {
    const network::NodeId argument = node.arguments[0];
    result.rows.emplace(argument, reshaped(std::move(rows), bounds.network->image(argument)));
    const std::vector<double>&biases = bounds.network->map(id)->biases(), &slack = bounds.scale[id].slack;
    for (const std::int64_t channel : channels) {
      const std::size_t element = index((channel * image.height + y) * image.width + x);
      result.constants.push_back(biases.empty() ? 0.0 : biases[element]);
      result.errors.push_back(slack.empty() ? 0.0 : slack[element]);
    }
  }
  if (signs == Signs::kPlusAndMinus) add_negatives(result);
  return result;
}

}  // namespace plumb::bounds
