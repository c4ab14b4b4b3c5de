// pair_cuts.h: a family of joint cuts r_j + r_k <= g . (u, r) + c. The program itself has none.
//
// Any g will do: the constant is the least one that four cases prove, in which each of the two units is active or
// inactive. What is tried for g are the slopes of r_j + r_k along the edges of the cube at a vertex, which is as good
// as any for two coordinates and units of the first layer, and the slopes of the units' upper lines.
#pragma once

#include <memory>

#include "search/cuts/cut_family.h"

namespace plumb::testing {

std::shared_ptr<const search::CutFamily> pair_cuts();

}  // namespace plumb::testing
