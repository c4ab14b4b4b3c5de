// hyperplane_points.h: points with floating-point coordinates that satisfy a linear equation exactly.
//
// In:  coefficients . x = bound, a box, a point near both.
// Out: a point near it whose coordinates are multiples of a power of two and that satisfies the equation without any
//      rounding.
//
// Rounding each coordinate by itself would leave the plane: for 10 x - 3 y = 0, y must be a multiple of 5 times a power
// of two. So one coordinate is computed from the others, which are rounded to multiples of the odd part of its
// coefficient. One of them gets another remainder instead, if the bound requires that.
//
// Sound: no proof depends on it; callers check that the point lies in the region.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "property/region.h"

namespace plumb::attack {

// Coordinates with a nonzero coefficient become multiples of 2^grid; the one that is computed from the others may be a
// multiple of a smaller power of two. Returns nullopt if the coefficients are not small integers times a power of two,
// or no such point is found.
std::optional<std::vector<double>> point_on_hyperplane(const property::LinearInequality& plane,
                                                       const property::Box& box, std::span<const double> near,
                                                       int grid);

}  // namespace plumb::attack
