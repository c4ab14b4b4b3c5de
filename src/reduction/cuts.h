// cuts.h: cuts, which are upper bounds on values of undecided units, as rows over the reduced network:
// b . r <= g . (u, r) + c over the region.
//
// A cut of one unit, r_k <= g . (u, r) + c, replaces the unit's upper line. Any other cut is a joint cut. Its excess
// b . r - g . (u, r) - c is at most zero over the region, so a multiple >= 0 of it may be added to any row that is
// bounded from below.
//
// Sound: a cut's row is valid exactly as it is stored, without an error term; its constant was rounded up. Whoever adds
//        a cut is responsible for its validity.
#pragma once

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "reduction/row_bound.h"

namespace plumb::reduction {

struct Cut {
  // b: the units that it bounds together, in order, with positive factors. Cuts with the same b can be averaged.
  std::vector<Entry> bounded;
  // g and c; terms in order, error 0. A cut of one unit has terms over inputs and over units of groups before that of
  // its unit. A joint cut may have terms over all units that are not in `bounded`.
  LooseRow row;
};

using CutPool = std::vector<Cut>;

// `bounded` of a cut r_k <= g . (u, r) + c.
inline std::vector<Entry> one_unit(std::int32_t unit) { return {{unit, 1.0}}; }

inline bool is_joint(const Cut& cut) { return cut.bounded.size() != 1 || cut.bounded[0].value != 1.0; }

// The unit of a cut that is not joint.
inline std::int32_t only_unit(const Cut& cut) {
  if (is_joint(cut)) throw InternalError("cuts", "a joint cut has no unit of its own");
  return cut.bounded[0].column;
}

// The excess of a joint cut, as a row. Its coefficients are those of the cut up to their sign, so nothing is rounded.
inline LooseRow excess(const Cut& cut) {
  LooseRow row{cut.row.inputs, cut.row.units, -cut.row.constant, 0};
  for (std::vector<Entry>* terms : {&row.inputs, &row.units}) {
    for (Entry& term : *terms) term.value = -term.value;
  }
  row.units.insert(row.units.end(), cut.bounded.begin(), cut.bounded.end());
  std::ranges::sort(row.units, {}, &Entry::column);
  if (std::ranges::adjacent_find(row.units, {}, &Entry::column) != row.units.end()) {
    throw InternalError("cuts", "a joint cut has a unit on both sides");
  }
  return row;
}

}  // namespace plumb::reduction
