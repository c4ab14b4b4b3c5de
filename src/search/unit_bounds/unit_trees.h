// unit_trees.h: bounds on the arguments of undecided units, by small trees of their own.
//
// In:  a reduced network whose functionals are the arguments of some units, and the ranges that these are known to
// have. Out: narrower ranges, rigorous.
//
// "The argument is positive" is a question like any other, and so is "it is negative". A tree over the undecided units
// of earlier layers answers it, or at least raises the bound: the end of the range that is nearer to zero is tried
// first, and the other end if the first tree did not decide the unit. A tree ends at a fixed number of subproblems. The
// bound is then the least bound of its open subproblems.
//
// Subproblems are closed under the assumption that the question's answer is no (its own inequality narrows the ranges
// of other units, lanes/unit_ranges.h). So a tree proves f > 0 if all its subproblems are closed, and otherwise f >=
// min(0, the least bound of those that are open).
//
// The trees of many units share the lanes and the threads: a round takes the worst subproblems of each tree in turn.
// What a tree does depends on its own subproblems alone, so results are the same for any number of threads.
//
// Follows: progressive tightening with the FULL procedure of Tjeng et al. (section 4.3), by branch and bound.
#pragma once

#include <cstdint>
#include <span>

#include "base/limits.h"
#include "lanes/back_end.h"
#include "search/tree/branch_and_bound.h"

namespace plumb::search {

// The range of a functional: lower < 0 < upper while its unit is undecided.
struct UnitRange {
  double lower = 0, upper = 0;
};

struct UnitTreeOptions {
  SearchOptions search;       // ascents, branching, rounds of narrowing, threads
  bool narrow_ranges = true;  // by each question's own inequality
  std::int64_t subproblems_per_side = 100;
};

struct UnitTreeCounts {
  std::int64_t subproblems = 0;
  std::int64_t decided = 0;  // units

  UnitTreeCounts& operator+=(const UnitTreeCounts& more);
};

// `ranges` has one entry per functional of the network, and is narrowed. Work is charged to the budget. At a limit the
// ranges keep what is proven by then. Events: the steps of the trees, between element_trees_begin() and
// element_trees_end(), which the caller sends.
UnitTreeCounts bound_by_trees(const reduction::ReducedNetwork& network, const UnitTreeOptions& options,
                              const lanes::BoundingBackEnd& back_end, Budget& budget, events::EventSink& events,
                              std::span<UnitRange> ranges);

}  // namespace plumb::search
