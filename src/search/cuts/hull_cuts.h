// cut_separation.h: over-estimators of an undecided unit that cut off a point of the relaxation.
//
// For y = relu(w . x + b) over a box, let lo_i be the end of x_i's range where w_i x_i is smallest, hi_i the other end,
// and l(I) = sum_{i in I} w_i lo_i + sum_{i not in I} w_i hi_i + b. For any I and h with l(I) >= 0 > l(I + h),
//     y <= sum_{i in I} w_i (x_i - lo_i) + l(I) (x_h - lo_h) / (hi_h - lo_h).
// The most violated of these inequalities is found by adding indices to I in the order of (x_i - lo_i) / (hi_i - lo_i)
// until l turns negative.
//
// On the reduced network, x consists of the coordinates u and the earlier units r. A plain cut applies the formula to
// these. A composed cut first bounds w . x from above by an affine function of u alone, tight at the point, and then
// applies the formula over the cube. It is never looser for the choice made, because the box of (u, r) ignores how r
// depends on u.
//
// Sound: every vector g over-estimates relu(w . x + b) with the intercept of reduction/relu_hull.h. The formulas above
//        only choose g. The intercept is computed last, rounded up, with the errors of the row.
//
// Follows: Anderson et al. 2020, Tjandraatmadja et al. 2020.
#pragma once

#include <optional>
#include <span>

#include "reduction/cuts.h"
#include "reduction/reduced_network.h"

namespace plumb::search {

// A point of the relaxation: coordinates u, values r of the units, and their arguments z computed from their rows.
struct RelaxationPoint {
  std::vector<double> u, r, z;
};

RelaxationPoint relaxation_point(const reduction::ReducedNetwork& network, std::vector<double> u,
                                 std::vector<double> r);

struct SeparatedCut {
  reduction::Cut cut;
  double violation = 0;  // how far r_k at the point lies above the cut
  // For a composed cut: the slopes that prove it, together with the over-estimators that were given. Empty for a plain
  // cut.
  std::vector<double> slope;
};

// Returns the more violated of the plain and the composed cut, or nullopt if it is not worth having. `above` has, for
// each unit, the over-estimator that is lowest at the point; nullptr means its upper line. The region must be a cube.
std::optional<SeparatedCut> separate(const reduction::ReducedNetwork& network, std::int32_t unit,
                                     const RelaxationPoint& point, std::span<const reduction::LooseRow* const> above);

// A row's value at a point, in plain double arithmetic.
double value_at(const reduction::LooseRow& row, const RelaxationPoint& point);

// Merges several cuts of one unit into one: their weighted mean. The weights must not all be zero.
reduction::Cut merged(const reduction::ReducedNetwork& network, std::span<const reduction::Cut* const> cuts,
                      std::span<const double> weights);

}  // namespace plumb::search
