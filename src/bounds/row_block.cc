#include "bounds/row_block.h"

#include <algorithm>

#include "base/overloaded.h"

namespace plumb::bounds {
namespace {

// The last three dimensions of a shape if all others are 1; otherwise an image of one pixel.
Image image_of_shape(const tensor::Shape& shape) {
  const std::int64_t size = tensor::element_count(shape);
  if (shape.size() < 3) return {size, 1, 1};
  const Image image{shape[shape.size() - 3], shape[shape.size() - 2], shape[shape.size() - 1]};
  return image.size() == size ? image : Image{size, 1, 1};
}

}  // namespace

Window joined(const Window& a, const Window& b) {
  return {std::min(a.y0, b.y0), std::max(a.y1, b.y1), std::min(a.x0, b.x0), std::max(a.x1, b.x1)};
}

RowBlock::RowBlock(const Image& of, const Window& over, std::int64_t count) : image(of), window(over), rows(count) {
  values.assign(static_cast<std::size_t>(count * row_size()), 0.0);
}

RowBlock widened(const RowBlock& block, const Window& window) {
  if (block.window == window) return block;
  RowBlock result(block.image, window, block.rows);
  const std::int64_t width = block.window.width(), dy = block.window.y0 - window.y0, dx = block.window.x0 - window.x0;
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const double* from = block.row(r);
    for (std::int64_t c = 0; c < block.image.channels; ++c) {
      for (std::int64_t y = 0; y < block.window.height(); ++y, from += width) {
        std::copy(from, from + width, result.row(r) + (c * window.height() + y + dy) * window.width() + dx);
      }
    }
  }
  return result;
}

RowBlock reshaped(RowBlock block, const Image& image) {
  if (block.image == image) return block;
  RowBlock result = widened(block, whole(block.image));
  result.image = image;
  result.window = whole(image);
  return result;
}

std::vector<Image> images_of(const network::Network& network) {
  std::vector<Image> images;
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    const network::Node& node = network.node(id);
    const auto flat = [&] { return Image{network.size(id), 1, 1}; };
    const auto as_argument = [&] { return images[node.arguments[0]]; };
    images.push_back(std::visit(
        Overloaded{[&](const network::Input&) { return image_of_shape(node.shape); },
                   [&](const network::Constant&) { return flat(); }, [&](const network::Dense&) { return flat(); },
                   [](const network::Convolution& op) {
                     return Image{op.geometry.out_channels, op.geometry.out_height, op.geometry.out_width};
                   },
                   [](const network::TransposedConvolution& op) {
                     return Image{op.geometry.in_channels, op.geometry.in_height, op.geometry.in_width};
                   },
                   [&](const network::ScaleShift&) { return as_argument(); },
                   [&](const network::IndexMap&) { return image_of_shape(node.shape); },
                   [&](const network::Sum&) { return as_argument(); },
                   [&](const network::Relu&) { return as_argument(); },
                   [&](const network::Maximum&) { return image_of_shape(node.shape); }},
        node.op));
  }
  return images;
}

}  // namespace plumb::bounds
