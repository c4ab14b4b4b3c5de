// hull_rows.h: rows of a unit's convex hull that cut off a point of the relaxation.
//
// In:  a program with a ReLU y = max(z, 0), its indicator a (relu.h) and a row that says z <= w . x + b; a point of its
//      relaxation.
// Out: the most violated row of the family
//          y <= sum_{i in I} w_i (x_i - lo_i (1 - a)) + (b + sum_{i not in I} w_i hi_i) a,
//      where lo_i and hi_i are the ends of x_i's bounds at which w_i x_i is least and largest. There is one row per set
//      I. With all of them, the unit's relaxation is its convex hull over the box of its x. The rows of relu.h are
//      those of I empty and I everything, for the box of z.
//
// Valid:  for every point of the program with a in {0, 1}. If a = 0, then y = 0 by y <= u a, and the right side is the
//         sum over I of w_i (x_i - lo_i) >= 0. If a = 1, then y <= z <= w . x + b, and w_i x_i <= w_i hi_i outside of
//         I. So a solver's points and claims stay valid, and so do bounds that are certified with these rows. Rounding:
//         any g in place of w on I is valid with the two intercepts of reduction/relu_hull.h, which are rounded up. A
//         separated row has g = w, so that only its intercepts are rounded.
// Chosen: at (x, a) the right side is b a plus, for each i, either w_i (x_i - lo_i (1 - a)) or w_i hi_i a. Each i is
//         put into I if the first of these is the smaller one, so one pass over them is enough. An i that gains little
//         is left out of I, which is also valid. This makes rows shorter, and none of their numbers is tiny compared to
//         the others.
//
// Follows: Anderson et al. 2020 (strong formulations for trained networks), for a ReLU over a box.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "program/program.h"

namespace plumb::milp {

// An undecided ReLU whose argument is a variable of its own. `row` defines the argument, which has the coefficient -1
// in it:  row.lower <= w . x - z <= row.upper.
struct AffineUnit {
  program::RowId row;
  program::VariableId argument, value, indicator;
};

// terms . x <= upper.
struct HullRow {
  std::size_t unit = 0;  // index of the unit, as the caller counts them
  std::vector<program::Term> terms;
  double upper = 0;
  double violation = 0;  // distance() of the point that it was found for
};
// How far a point lies outside of the row's half-space; negative inside.
double distance(const HullRow& row, std::span<const double> point);

// Returns nothing if no row is violated by more than a solver's tolerance.
std::optional<HullRow> separated_row(const program::Program& program, const AffineUnit& unit,
                                     std::span<const double> point, double ignored_coefficient);

// Merges several rows of one unit into one: their mean with these weights, which must not all be zero. The mean g is
// rounded first and the intercepts are computed from it, so the result is as valid as the rows.
HullRow merged_row(const program::Program& program, const AffineUnit& unit, std::span<const HullRow* const> rows,
                   std::span<const double> weights, double ignored_coefficient);

}  // namespace plumb::milp
