// cuts.h: over-estimators of undecided units, as rows over the reduced network: r_k <= g . (u, r) + c over the region.
//
// Sound: whoever adds a cut answers for its validity; its row is exact as stored (no error term), the constant having
//        been rounded up.
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
