// row_block.h: a batch of linear functionals over one node's value, dense over a window of its image.
//
// A unit behind convolutions depends on a patch of each earlier image; a block stores coefficients for that patch only.
// A value without an image (the output of a dense map, for example) is an image of one pixel, and its window is
// everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "network/network.h"

namespace plumb::bounds {

struct Image {
  std::int64_t channels = 1, height = 1, width = 1;

  std::int64_t size() const { return channels * height * width; }
  bool operator==(const Image&) const = default;
};

// Half-open: y0 <= y < y1 and x0 <= x < x1.
struct Window {
  std::int64_t y0 = 0, y1 = 1, x0 = 0, x1 = 1;

  std::int64_t height() const { return y1 - y0; }
  std::int64_t width() const { return x1 - x0; }
  bool operator==(const Window&) const = default;
};

inline Window whole(const Image& image) { return {0, image.height, 0, image.width}; }
Window joined(const Window& a, const Window& b);

struct RowBlock {
  Image image;
  Window window;
  std::int64_t rows = 0;
  std::vector<double> values;  // rows x channels x window height x window width

  RowBlock() = default;
  // All coefficients are zero.
  RowBlock(const Image& of, const Window& over, std::int64_t count);

  std::int64_t row_size() const { return image.channels * window.height() * window.width(); }
  double* row(std::int64_t r) { return values.data() + r * row_size(); }
  const double* row(std::int64_t r) const { return values.data() + r * row_size(); }

  // Calls visit(position in a row, position in the node's value, length) for every run of consecutive elements.
  template <class Visit>
  void for_each_run(Visit visit) const {
    if (window == whole(image)) return visit(std::int64_t{0}, std::int64_t{0}, image.size());
    std::int64_t in_row = 0;
    for (std::int64_t c = 0; c < image.channels; ++c) {
      for (std::int64_t y = window.y0; y < window.y1; ++y, in_row += window.width()) {
        visit(in_row, (c * image.height + y) * image.width + window.x0, window.width());
      }
    }
  }
};

// One number per element of a node, in the layout of a block's rows: a copy of the window, or the numbers themselves if
// the window is the whole image. All rows share it, so that a loop over a row runs over contiguous memory.
class InWindow {
 public:
  InWindow(const RowBlock& block, std::span<const double> numbers) {
    if (block.window == whole(block.image)) {
      data_ = numbers.data();
      return;
    }
    copy_.resize(static_cast<std::size_t>(block.row_size()));
    block.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
      std::copy_n(numbers.data() + in_value, length, copy_.data() + in_row);
    });
    data_ = copy_.data();
  }
  InWindow(const InWindow&) = delete;
  InWindow& operator=(const InWindow&) = delete;

  const double* data() const { return data_; }

 private:
  std::vector<double> copy_;
  const double* data_ = nullptr;
};

// The same functionals over a larger window.
RowBlock widened(const RowBlock& block, const Window& window);
// The same functionals, with the value seen as another image of the same size. The window becomes the whole image,
// unless the image is the same.
RowBlock reshaped(RowBlock block, const Image& image);

// For each node, the image that row blocks use for its value.
std::vector<Image> images_of(const network::Network& network);

}  // namespace plumb::bounds
