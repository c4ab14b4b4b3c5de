// picture.h: flat inputs as pictures for people.
#pragma once

#include <optional>
#include <span>

#include "property/perturbation.h"
#include "report/png.h"
#include "store/store.h"

namespace plumb::report {

// Whether inputs of this shape can be shown: it must have one or three channels, and `size` elements.
bool is_picture(const std::optional<property::ImageShape>& shape, std::size_t size);

struct ValueRange {
  double lower = 0, upper = 1;
};

// The range of input values that the store names, over all inputs if these have different ones; nullopt if it names
// none.
std::optional<ValueRange> stored_domain(const std::vector<store::Setting>& settings);
// The range from black to white: the domain, or else the range of the values.
ValueRange picture_range(const std::optional<ValueRange>& domain, std::span<const double> values);

// Black is the lower end of the range. Values are rounded to bytes: a picture is for looking at, not for checking.
Picture picture_of(std::span<const double> values, const property::ImageShape& shape, ValueRange range);

// The difference between two inputs, magnified so that the largest change has the full intensity. With one channel,
// what became darker is blue, what became brighter is red, and what stayed is transparent. With three channels, what
// stayed is grey.
struct DifferencePicture {
  Picture picture;
  double magnification = 1;  // the width of the range divided by the largest change
};
DifferencePicture difference_picture(std::span<const double> from, std::span<const double> to,
                                     const property::ImageShape& shape, ValueRange range);

}  // namespace plumb::report
