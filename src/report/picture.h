// picture.h: flat inputs as pictures for people.
#pragma once

#include <optional>
#include <span>

#include "property/perturbation.h"
#include "report/png.h"
#include "store/store.h"

namespace plumb::report {

// Whether inputs of this shape can be shown: one or three channels, of the input's size.
bool is_picture(const std::optional<property::ImageShape>& shape, std::size_t size);

// The values that the store's inputs can have; nothing if it names none.
std::optional<property::Domain> stored_domain(const std::vector<store::Setting>& settings);
// From black to white: the domain, or what the numbers cover where there is none.
property::Domain picture_range(const std::optional<property::Domain>& domain, std::span<const double> values);

// Black is the range's lower end. Values are rounded to bytes: a picture is for looking at, not for checking.
Picture picture_of(std::span<const double> values, const property::ImageShape& shape, property::Domain range);

// What was changed, magnified until the largest change is seen fully. One channel: what became darker is blue, what
// became brighter is red, what stayed is transparent. Three: around grey.
struct DifferencePicture {
  Picture picture;
  double magnification = 1;  // how often the largest change fits into the range
};
DifferencePicture difference_picture(std::span<const double> from, std::span<const double> to,
                                     const property::ImageShape& shape, property::Domain range);

}  // namespace plumb::report
