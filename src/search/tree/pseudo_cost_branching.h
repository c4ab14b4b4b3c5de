// pseudo_cost_branching.h: splits one of the few units whose relaxation costs the bound most: the one whose earlier
// splits gained most.
//
// A unit's score is what its upper line costs the bound. (The distance of the relaxation's minimiser from a true ReLU
// makes trees a third larger.) The eight units of highest score are weighted by their pseudo-costs. The best has the
// largest product of what both children are expected to gain: trees of tens of thousands of subproblems are a tenth to
// a fifth smaller than with four units and the lesser gain plus a share of the greater one. Bounding children before
// the choice (LookAhead) makes trees no smaller.
#pragma once

#include <memory>

#include "search/tree/branching.h"

namespace plumb::search {

std::shared_ptr<const BranchingRule> pseudo_cost_branching();

}  // namespace plumb::search
