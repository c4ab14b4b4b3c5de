// cuts.h: cuts, which are upper bounds on undecided units, as rows over the reduced network: r_k <= g . (u, r) + c over
// the region.
//
// Sound: a cut's row is valid exactly as it is stored, without an error term; its constant was rounded up. Whoever adds
//        a cut is responsible for its validity.
#pragma once

#include <vector>

#include "reduction/row_bound.h"

namespace plumb::reduction {

struct Cut {
  std::int32_t owner = 0;  // the unit that it bounds; terms are over inputs and over units of earlier groups
  LooseRow row;            // error 0
};

using CutPool = std::vector<Cut>;

}  // namespace plumb::reduction
