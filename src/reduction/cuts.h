// cuts.h: cuts, which are upper bounds on values of undecided units, as rows over the reduced network:
// b . r <= g . (u, r) + c over the region.
//
// Sound: a cut's row is valid exactly as it is stored, without an error term; its constant was rounded up. Whoever adds
//        a cut is responsible for its validity.
#pragma once

#include <vector>

#include "base/error.h"
#include "reduction/row_bound.h"

namespace plumb::reduction {

struct Cut {
  // b: the units that it bounds together, in order, with positive factors. Cuts with the same b can be averaged.
  std::vector<Entry> bounded;
  LooseRow row;  // terms over inputs and over units of groups before those of `bounded`; error 0
};

using CutPool = std::vector<Cut>;

// `bounded` of a cut r_k <= g . (u, r) + c.
inline std::vector<Entry> one_unit(std::int32_t unit) { return {{unit, 1.0}}; }

inline bool bounds_one_unit(const Cut& cut) { return cut.bounded.size() == 1 && cut.bounded[0].value == 1.0; }

// For code that has no place for cuts of several units.
inline std::int32_t only_unit(const Cut& cut) {
  if (!bounds_one_unit(cut)) throw InternalError("cuts", "a cut of several units");
  return cut.bounded[0].column;
}

}  // namespace plumb::reduction
