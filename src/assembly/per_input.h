// per_input.h: values that users give for all inputs at once, for each channel of an image, or for each input.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/rational.h"
#include "property/perturbation.h"

namespace plumb::assembly {

// The values that an input can have.
struct ValueRange {
  Rational lower, upper{1};

  bool operator==(const ValueRange&) const = default;
};

// How a list of `given` values is spread over `inputs` inputs: the position in the list, for each input. Throws
// ArgumentError, which names the argument `name` and says how many would fit, if the list has neither one value, nor
// one per channel, nor one per input.
std::vector<std::size_t> spread(std::size_t given, std::size_t inputs, const std::optional<property::ImageShape>& image,
                                const char* name);

template <class T>
std::vector<T> for_each_input(const std::vector<T>& values, std::size_t inputs,
                              const std::optional<property::ImageShape>& image, const char* name) {
  std::vector<T> result;
  for (const std::size_t at : spread(values.size(), inputs, image, name)) result.push_back(values[at]);
  return result;
}

}  // namespace plumb::assembly
