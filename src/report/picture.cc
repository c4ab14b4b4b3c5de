#include "report/picture.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/rational.h"

namespace plumb::report {
namespace {

std::uint8_t byte_of(double share) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0))); }

// Calls put(element) for each byte of a picture of that shape, in the picture's order.
template <class Put>
void for_each_element(const property::ImageShape& shape, const Put& put) {
  for (std::int64_t row = 0; row < shape.height; ++row) {
    for (std::int64_t column = 0; column < shape.width; ++column) {
      for (std::int64_t channel = 0; channel < shape.channels; ++channel) put(shape.element(channel, row, column));
    }
  }
}

}  // namespace

bool is_picture(const std::optional<property::ImageShape>& shape, std::size_t size) {
  return shape && (shape->channels == 1 || shape->channels == 3) && shape->size() == static_cast<std::int64_t>(size);
}

std::optional<ValueRange> stored_domain(const std::vector<store::Setting>& settings) {
  const auto setting = std::ranges::find(settings, "domain", &store::Setting::name);
  if (setting == settings.end()) return std::nullopt;
  std::optional<ValueRange> whole;
  std::istringstream entries(setting->value);
  for (std::string entry; std::getline(entries, entry, ';');) {
    const std::size_t comma = entry.find(',');
    if (comma == std::string::npos) return std::nullopt;
    const auto side = [](const std::string& text) {
      return Rational::parse(text, "domain", Rational::Accept::kAny).nearest();
    };
    const ValueRange range{side(entry.substr(0, comma)), side(entry.substr(comma + 1))};
    if (!whole) whole = range;
    whole = {std::min(whole->lower, range.lower), std::max(whole->upper, range.upper)};
  }
  return whole;
}

ValueRange picture_range(const std::optional<ValueRange>& domain, std::span<const double> values) {
  if (domain || values.empty()) return domain.value_or(ValueRange{});
  const auto [lower, upper] = std::ranges::minmax(values);
  return {lower, upper};
}

Picture picture_of(std::span<const double> values, const property::ImageShape& shape, ValueRange range) {
  Picture picture{shape.width, shape.height, shape.channels, {}};
  const double width = range.upper > range.lower ? range.upper - range.lower : 1;
  for_each_element(shape, [&](std::size_t k) { picture.bytes.push_back(byte_of((values[k] - range.lower) / width)); });
  return picture;
}

DifferencePicture difference_picture(std::span<const double> from, std::span<const double> to,
                                     const property::ImageShape& shape, ValueRange range) {
  double largest = 0;
  for (std::size_t k = 0; k < from.size(); ++k) largest = std::max(largest, std::abs(to[k] - from[k]));
  const double scale = largest > 0 ? 1 / largest : 1;
  const bool grey = shape.channels == 1;
  DifferencePicture difference{{shape.width, shape.height, grey ? 4 : 3, {}}, (range.upper - range.lower) * scale};
  for_each_element(shape, [&](std::size_t k) {
    const double change = scale * (to[k] - from[k]);
    auto& bytes = difference.picture.bytes;
    if (!grey) {
      bytes.push_back(byte_of(0.5 + change / 2));
    } else if (change >= 0) {
      bytes.insert(bytes.end(), {214, 58, 47, byte_of(change)});
    } else {
      bytes.insert(bytes.end(), {40, 98, 204, byte_of(-change)});
    }
  });
  return difference;
}

}  // namespace plumb::report
