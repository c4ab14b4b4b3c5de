// hull_cuts.h: the family of cuts of one unit: over-estimators of its value that cut off a point of the relaxation.
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

#include <memory>
#include <optional>
#include <span>

#include "search/cuts/cut_family.h"

namespace plumb::search {

std::shared_ptr<const CutFamily> hull_cuts();

struct HullCut {
  reduction::Cut cut;
  // For a composed cut: the slopes that prove it, together with the over-estimators that were given. Empty for a plain
  // cut.
  std::vector<double> slope;
};

// Returns the more violated of the plain and the composed cut, or nullopt if it is not worth having. `above` has, for
// each unit, the over-estimator that is lowest at the point; nullptr means its upper line. The region must be a cube.
std::optional<HullCut> separate_unit(const reduction::ReducedNetwork& network, std::int32_t unit,
                                     const RelaxationPoint& point, std::span<const reduction::LooseRow* const> above);

}  // namespace plumb::search
