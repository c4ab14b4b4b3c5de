// bounds_engine.h: decides queries by bounds alone.
//
// In:  a query.
// Out: holds if bounds refute every conjunction of the unsafe set; unknown otherwise.
//
// There is no search and no witness. Exact answers are compared with the certified lower bound of the verdict.
//
// Units are bounded by the methods of the list. The functionals of the unsafe set are bounded by backward substitution
// from the outputs, with optimised slopes if the last method is kAlpha or a more expensive one. The verdict is rigorous
// unless some bound is a solver's claim (kMilp).
#pragma once

#include "base/limits.h"
#include "milp/tightening/progressive.h"
#include "property/query.h"
#include "verdict/verdict.h"

namespace plumb::milp {

// `solver` may be nullptr unless the methods include kLp or kMilp.
verdict::Verdict decide_by_bounds(const std::shared_ptr<const bounds::BoundedNetwork>& network,
                                  const property::Query& query, const TighteningOptions& options,
                                  const program::Solver* solver, const Limits& limits);

}  // namespace plumb::milp
