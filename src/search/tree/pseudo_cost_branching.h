// pseudo_cost_branching.h: splits one of the few units whose relaxation costs the bound most: the one whose earlier
// splits gained most.
//
// A unit's score is what its upper line costs the bound. (The distance of the relaxation's minimiser from a true ReLU
// makes trees a third larger.) The units of highest score are weighted by their pseudo-costs.
#pragma once

#include <memory>

#include "search/tree/branching.h"

namespace plumb::search {

std::shared_ptr<const BranchingRule> pseudo_cost_branching();

}  // namespace plumb::search
