#include "assembly/per_input.h"

#include <fmt/format.h>

#include <numeric>

#include "base/error.h"

namespace plumb::assembly {

std::vector<std::size_t> spread(std::size_t given, std::size_t inputs, const std::optional<property::ImageShape>& image,
                                const char* name) {
  std::vector<std::size_t> positions(inputs, 0);
  if (given == 1) return positions;
  if (given == inputs) {
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    return positions;
  }
  const bool is_image = image && static_cast<std::size_t>(image->size()) == inputs;
  if (!is_image || given != static_cast<std::size_t>(image->channels)) {
    const std::string per_channel =
        is_image && image->channels > 1 ? fmt::format("{} (one per channel), ", image->channels) : "";
    throw ArgumentError(name, fmt::format("{} values for a network of {} inputs", given, inputs),
                        fmt::format("give 1, {}or {} (one per input)", per_channel, inputs));
  }
  for (std::int64_t channel = 0; channel < image->channels; ++channel) {
    for (std::int64_t row = 0; row < image->height; ++row) {
      for (std::int64_t column = 0; column < image->width; ++column) {
        positions[image->element(channel, row, column)] = static_cast<std::size_t>(channel);
      }
    }
  }
  return positions;
}

}  // namespace plumb::assembly
