#include "data/arrangement.h"

#include <algorithm>

namespace plumb::data {
namespace {

struct Image {
  std::int64_t channels;
  std::int64_t height;
  std::int64_t width;

  tensor::Shape channels_first() const { return {channels, height, width}; }
  tensor::Shape channels_last() const { return {height, width, channels}; }
  std::int64_t pixels() const { return height * width; }
};

tensor::Shape without_ones(tensor::Shape shape) {
  std::erase(shape, 1);
  return shape;
}

bool same(const tensor::Shape& a, const tensor::Shape& b) { return without_ones(a) == without_ones(b); }

bool is_flat(const tensor::Shape& shape) { return without_ones(shape).size() <= 1; }

// The last three dimensions, if all before them are one.
std::optional<tensor::Shape> last_three(const tensor::Shape& shape) {
  if (shape.size() < 3) return std::nullopt;
  const auto first = shape.end() - 3;
  if (!std::all_of(shape.begin(), first, [](std::int64_t size) { return size == 1; })) return std::nullopt;
  return tensor::Shape(first, shape.end());
}

Arrangement as_stored(std::int64_t count) { return {1, count}; }
Arrangement channels_to_front(const Image& image) { return {image.pixels(), image.channels}; }
Arrangement channels_to_back(const Image& image) { return {image.channels, image.pixels()}; }

std::optional<Arrangement> from_channels_first(const tensor::Shape& stored, const tensor::Shape& wanted,
                                               std::int64_t count) {
  if (same(stored, wanted) || is_flat(stored) || is_flat(wanted)) return as_stored(count);
  const std::optional<tensor::Shape> chw = last_three(stored);
  if (!chw) return std::nullopt;
  const Image image{(*chw)[0], (*chw)[1], (*chw)[2]};
  if (same(image.channels_last(), wanted)) return channels_to_back(image);
  return std::nullopt;
}

std::optional<Arrangement> from_flat_channels_last(const tensor::Shape& wanted) {
  const std::optional<tensor::Shape> chw = last_three(wanted);
  if (!chw) return std::nullopt;
  const Image image{(*chw)[0], (*chw)[1], (*chw)[2]};
  // 32x32x3 is an input with channels last, not 32 channels of 32x3: reordering would scramble the image.
  constexpr std::int64_t kMostChannels = 4;
  const bool channels_last = image.width <= kMostChannels && std::min(image.channels, image.height) > kMostChannels;
  if (channels_last) return std::nullopt;
  return channels_to_front(image);
}

std::optional<Arrangement> from_channels_last(const tensor::Shape& stored, const tensor::Shape& wanted,
                                              std::int64_t count) {
  if (stored.size() <= 1) return from_flat_channels_last(wanted);
  const std::optional<tensor::Shape> hwc =
      stored.size() == 2 ? tensor::Shape{stored[0], stored[1], 1} : last_three(stored);
  if (!hwc) return std::nullopt;
  const Image image{(*hwc)[2], (*hwc)[0], (*hwc)[1]};
  if (same(image.channels_first(), wanted) || is_flat(wanted)) return channels_to_front(image);
  if (same(image.channels_last(), wanted)) return as_stored(count);
  return std::nullopt;
}

}  // namespace

std::optional<Arrangement> arrangement(const tensor::Shape& stored, Layout layout, const tensor::Shape& wanted) {
  const std::int64_t count = tensor::element_count(stored);
  if (count != tensor::element_count(wanted)) return std::nullopt;
  return layout == Layout::kChannelsFirst ? from_channels_first(stored, wanted, count)
                                          : from_channels_last(stored, wanted, count);
}

}  // namespace plumb::data
