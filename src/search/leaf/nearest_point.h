// nearest_point.h: the point of a box that is nearest to a centre, among those at which some rows are at most zero.
//
// It is found through its dual, a function of multipliers >= 0 that is to be maximised: the least value over the box of
//
//   1/2 |u - centre|^2 + sum of multiplier times row(u).
//
// The dual is smooth, and the least value is taken at centre - sum of multiplier times slope, clamped to the box.
// Projected Newton steps find the maximum. Any multipliers bound the distance from below: half its square is at least
// the dual's value.
//
// Not sound, and not meant to be: multipliers and points are proposals, which the caller has to check.
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

// Starts from the multipliers `start`, one per row, and ends early once the dual's value is above `enough`.
NearestPoint nearest_point(std::span<const double> centre, const property::Box& box, std::span<const AffineRow> rows,
                           std::vector<double> start, double enough);

}  // namespace plumb::search
