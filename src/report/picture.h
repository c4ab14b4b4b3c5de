// picture.h: flat inputs as pictures for people.
#pragma once

#include <optional>
#include <span>

#include "property/perturbation.h"
#include "report/png.h"
#include "store/store.h"

namespace plumb {

// Whether inputs of this shape can be shown: one or three channels, of the input's size.
bool is_picture(const std::optional<ImageShape>& shape, std::size_t size);

// The values that the store's inputs can have; nothing if it names none.
std::optional<Domain> stored_domain(const std::vector<Setting>& settings);
// From black to white: the domain, or what the numbers cover where there is none.
Domain picture_range(const std::optional<Domain>& domain, std::span<const double> values);

// Black is the range's lower end. Values are rounded to bytes: a picture is for looking at, not for checking.
Picture picture_of(std::span<const double> values, const ImageShape& shape, Domain range);

// What was changed, magnified until the largest change is seen fully. One channel: what became darker is blue, what
// became brighter is red, what stayed is transparent. Three: around grey.
struct DifferencePicture {
  Picture picture;
  double magnification = 1;  // how often the largest change fits into the range
};
DifferencePicture difference_picture(std::span<const double> from, std::span<const double> to, const ImageShape& shape,
                                     Domain range);

}  // namespace plumb
