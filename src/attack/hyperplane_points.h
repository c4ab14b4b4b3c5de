// hyperplane_points.h: floating-point numbers that satisfy a linear equation exactly.
//
// In:  coefficients . x = bound, a box, a point near both. Out: a point near it whose coordinates are multiples of a
//      power of two and that satisfies the equation without any rounding.
//
// Rounding the coordinates one by one leaves the plane: 10 x - 3 y = 0 needs y to be a multiple of 5 times a power of
// two. So one coordinate is solved for; the others are rounded to multiples of its coefficient's odd part, but for one
// of them, which has the remainder that the bound asks for.
//
// Sound: nothing rests on it; whoever asks looks whether the point lies in the region.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "property/region.h"

namespace plumb::attack {

// Coordinates are multiples of 2^grid. Nothing if the coefficients are no small integers times a power of two, or no
// such point is found.
std::optional<std::vector<double>> point_on_hyperplane(const property::LinearInequality& plane,
                                                       const property::Box& box, std::span<const double> near,
                                                       int grid);

}  // namespace plumb::attack
