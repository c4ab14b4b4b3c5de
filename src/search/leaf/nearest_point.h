// nearest_point.h: the point of a box that is nearest to a centre among those at which some rows are at most zero.
//
// By its dual: the largest, over multipliers >= 0, of the least value over the box of
//
//   1/2 |u - centre|^2 + sum of multiplier times row(u),
//
// which is smooth, and whose minimiser is centre - sum of multiplier times slope, clamped. Projected Newton steps find
// the maximum. Any multipliers show how far away the point is at least: half the square of its distance is at least the
// dual's value.
//
// Not sound, and not meant to be: multipliers are proposals, points are points.
// Follows: Bertsekas 1982, Projected Newton methods for optimization problems with simple constraints.
#pragma once

#include <span>
#include <vector>

#include "property/region.h"
#include "search/leaf/affine_network.h"

namespace plumb::search {

struct NearestPoint {
  std::vector<double> point, multipliers;
  double dual = 0;
};

// From the multipliers `start`, one a row, until the dual's value is above `enough`.
NearestPoint nearest_point(std::span<const double> centre, const property::Box& box, std::span<const AffineRow> rows,
                           std::vector<double> start, double enough);

}  // namespace plumb::search
