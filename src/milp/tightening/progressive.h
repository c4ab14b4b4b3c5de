// progressive.h: bounds of all units over a region, by methods of increasing cost.
//
// In:  a network, a region of one part, an increasing list of methods.
// Out: a filled store. Nodes are bounded in order, so that each rests on the best bounds of those before it. An element
//      goes on to the next method only if it is still open: the argument of an undecided ReLU, or a possible winner of
//      a maximum.
//
// Elements that are decided are skipped, and so are elements that are affine in the inputs of a box, for which
// intervals are exact. The store notes the reason. For a ReLU, the side that is nearer to zero is bounded first; if
// that decides the unit, the other side is not bounded.
//
// Sound:   as sound as the methods (element_bounds.h). With kMilp in the list, what follows from the bounds may be a
//          solver's claim: uses_claims() reports that.
// Follows: GetBoundsForReLU and GetBoundsForMax of Tjeng et al. (section 4.3, appendix C).
#pragma once

#include "bounds/bounds.h"
#include "lanes/back_end.h"
#include "milp/tightening/element_bounds.h"

namespace plumb::milp {

struct TighteningOptions {
  // Must increase. Intervals are always computed first, because every other method starts from some bounds.
  std::vector<bounds::BoundMethod> methods{bounds::BoundMethod::kInterval, bounds::BoundMethod::kLinear};
  // If false, the last method bounds both sides of every element, decided or not: the paper's first ablation.
  bool progressive = true;
  int slope_steps = 20;                            // of kAlpha
  std::int64_t row_bytes = std::int64_t{1} << 30;  // of rows that go backward together
  ElementBoundOptions programs;
  std::shared_ptr<const lanes::BoundingBackEnd> back_end = lanes::default_back_end();
};

// Throws ArgumentError if the list is empty or not increasing.
void check_methods(const std::vector<bounds::BoundMethod>& methods);

// `bounds` must be new. `solver` may be nullptr unless the methods include kLp or kMilp. When the budget is used up,
// the remaining elements get interval bounds only, which are valid.
ElementBoundStatistics compute_tight_bounds(bounds::RegionBounds& bounds, const TighteningOptions& options,
                                            const program::Solver* solver, Budget& budget);

// Whether some bound is a solver's claim.
bool uses_claims(const bounds::RegionBounds& bounds);

}  // namespace plumb::milp
