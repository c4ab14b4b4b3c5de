// progressive.h: bounds of all units over a region, each by methods that get more expensive, until nothing is gained.
//
// In:  a network, a region of one part; an increasing list of methods.
// Out: a filled store. Nodes are dealt with in order, so that each rests on the best bounds of those before; an element
//      goes on to the next method only if it is still open: an undecided ReLU, or a possible winner of a maximum.
//
// Skipped, with the reason noted in the store: elements that are decided, and elements that are affine in the inputs of
// a box, for which intervals are exact. The side of a ReLU that is nearer to zero is asked first: if it decides, the
// other is not asked.
//
// Sound:   as the methods are (element_bounds.h). With kMilp in the list, what follows from the bounds is a solver's
//          claim: uses_claims() says so.
// Follows: GetBoundsForReLU and GetBoundsForMax of Tjeng et al. (section 4.3, appendix C).
#pragma once

#include "bounds/bounds.h"
#include "milp/tightening/element_bounds.h"

namespace plumb::milp {

struct TighteningOptions {
  // Increasing. Intervals come first in any case: every other method starts from some bounds.
  std::vector<bounds::BoundMethod> methods{bounds::BoundMethod::kInterval, bounds::BoundMethod::kLinear};
  // Off: the last method is applied to both sides of every element, decided or not. The paper's first ablation.
  bool progressive = true;
  int slope_steps = 20;                            // of kAlpha
  std::int64_t row_bytes = std::int64_t{1} << 30;  // of rows that go backward together
  ElementBoundOptions programs;
};

// Throws UsageError if the list is empty or not increasing.
void check_methods(const std::vector<bounds::BoundMethod>& methods);

// `bounds` are new. The solver is needed for kLp and kMilp only. When the budget is used up the rest gets interval
// bounds alone, which are valid.
ElementBoundStatistics compute_tight_bounds(bounds::RegionBounds& bounds, const TighteningOptions& options,
                                            const program::Solver* solver, Budget& budget);

// Whether some bound rests on a solver's claim.
bool uses_claims(const bounds::RegionBounds& bounds);

}  // namespace plumb::milp
