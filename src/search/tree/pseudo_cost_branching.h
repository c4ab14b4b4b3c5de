// pseudo_cost_branching.h: splits one of the few units whose relaxation costs the bound most: the one from which both
// children are expected to gain most, judging by earlier splits.
//
// A unit's score is what its upper line costs the bound. (Scores by how far the relaxation's minimiser is from a true
// ReLU make trees a third larger.) The eight units of highest score are weighted by their pseudo-costs: the average
// gains of their earlier splits. The unit chosen is the one for which the product of what both children are expected to
// gain is largest. Trees of tens of thousands of subproblems are a tenth to a fifth smaller with this rule than with
// four units and the lesser gain plus a share of the greater one. A rule that bounds children before it chooses
// (LookAhead) makes trees no smaller.
//
// Sound:  whatever a rule chooses, because both children of any open unit together cover the subproblem.
#pragma once

#include <memory>

#include "search/tree/branching.h"

namespace plumb::search {

std::shared_ptr<const BranchingRule> pseudo_cost_branching();

}  // namespace plumb::search
