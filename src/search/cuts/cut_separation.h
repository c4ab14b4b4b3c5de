// cut_separation.h: over-estimators of an undecided unit that cut off a point of the relaxation.
//
// For y = relu(w . x + b) over a box, with lo_i the end of x_i's range where w_i x_i is smallest, hi_i the other one,
// and l(I) = sum_{i in I} w_i lo_i + sum_{i not in I} w_i hi_i + b: for any I and h with l(I) >= 0 > l(I + h),
//     y <= sum_{i in I} w_i (x_i - lo_i) + l(I) (x_h - lo_h) / (hi_h - lo_h).
// The most violated one is found by adding indices in the order of (x_i - lo_i) / (hi_i - lo_i) until l turns negative.
// On the reduced network x are the coordinates u and the earlier units r. A composed cut first bounds w . x from above
// by an affine function of u alone, tight at the point, and then takes the hull over the cube: never looser for the
// choice made, as the box of (u, r) forgets what r owes to u.
//
// Sound: any vector g over-estimates relu(w . x + b) with the intercept of reduction/relu_hull.h. The formulas above
//        only choose g; the intercept is computed last, rounded up, errors of the row included.
//
// Follows: Anderson et al. 2020, Tjandraatmadja et al. 2020.
#pragma once

#include <optional>
#include <span>

#include "reduction/cuts.h"
#include "reduction/reduced_network.h"

namespace plumb::search {

// A point of the relaxation: coordinates u, values r of the units, and their arguments z by their rows.
struct RelaxationPoint {
  std::vector<double> u, r, z;
};

RelaxationPoint relaxation_point(const reduction::ReducedNetwork& network, std::vector<double> u,
                                 std::vector<double> r);

struct SeparatedCut {
  reduction::Cut cut;
  double violation = 0;  // r_k at the point is this much above the cut
  // What proves a composed cut, with the over-estimators that were given; empty for a plain one.
  std::vector<double> slope;
};

// The more violated of the plain and the composed cut, if it is worth having. `above` has, for each unit, the
// over-estimator that is lowest at the point, or null for its upper line. Only over a cube.
std::optional<SeparatedCut> separate(const reduction::ReducedNetwork& network, std::int32_t unit,
                                     const RelaxationPoint& point, std::span<const reduction::LooseRow* const> above);

// A row's value at a point, plainly.
double value_at(const reduction::LooseRow& row, const RelaxationPoint& point);

// One cut for several of the same unit: their mean by these weights, which are not all zero.
reduction::Cut merged(const reduction::ReducedNetwork& network, std::span<const reduction::Cut* const> cuts,
                      std::span<const double> weights);

}  // namespace plumb::search
