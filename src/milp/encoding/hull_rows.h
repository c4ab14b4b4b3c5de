// hull_rows.h: rows of a unit's convex hull, found where they cut off a point of the relaxation.
//
// In:  a program with a ReLU y = max(z, 0), its indicator a (relu.h) and the row that says z <= w . x + b; a point of
//      its relaxation.
// Out: the most violated row of the family
//          y <= sum_{i in I} w_i (x_i - lo_i (1 - a)) + (b + sum_{i not in I} w_i hi_i) a,
//      lo_i and hi_i being the ends of x_i's bounds where w_i x_i is least and largest. A unit has one for each set I;
//      with all of them its relaxation is the convex hull of what it does over the box of its x, while the rows of
//      relu.h are those of I empty and I everything, for the box of z.
//
// Valid:  for every point of the program with a in {0, 1}. a = 0: there y is 0, by y <= u a, and the right side is the
//         sum of w_i (x_i - lo_i) >= 0 over I. a = 1: there y <= z <= w . x + b, and w_i x_i <= w_i hi_i outside of I.
//         A solver's points and claims stay what they are, and so do bounds that are certified with these rows.
//         Rounding: any g in the place of w on I is valid with the two intercepts of reduction/relu_hull.h, which are
//         rounded up; here g is w itself, so that nothing but the intercepts is rounded.
// Chosen: at (x, a) the right side is b a + sum_i of w_i (x_i - lo_i (1 - a)) or w_i hi_i a. Each i is in I where that
//         makes its part the smaller one: one look at each. Coefficients that bring little are left out of I, which is
//         valid as well: rows are shorter, and none of their numbers is tiny beside the others.
//
// Follows: Anderson et al. 2020 (strong formulations for trained networks), for a ReLU over a box.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "program/program.h"

namespace plumb::milp {

// An undecided ReLU whose argument is a variable of its own. `row` is the one that defines the argument, which it has
// with the coefficient -1:  row.lower <= w . x - z <= row.upper.
struct AffineUnit {
  program::RowId row;
  program::VariableId argument, value, indicator;
};

// terms . x <= upper.
struct HullRow {
  std::size_t unit = 0;  // whose it is, for those who count
  std::vector<program::Term> terms;
  double upper = 0;
  double violation = 0;  // distance() at the point it was found for
};
// How far a point is outside of the row's half-space; negative inside.
double distance(const HullRow& row, std::span<const double> point);

// Nothing if no row is violated by more than a solver's tolerance.
std::optional<HullRow> separated_row(const program::Program& program, const AffineUnit& unit,
                                     std::span<const double> point, double ignored_coefficient);

// One row for several of the same unit: their mean by these weights, which are not all zero. g is rounded first and the
// intercepts follow from it, so that it is as valid as they are.
HullRow merged_row(const program::Program& program, const AffineUnit& unit, std::span<const HullRow* const> rows,
                   std::span<const double> weights, double ignored_coefficient);

}  // namespace plumb::milp
