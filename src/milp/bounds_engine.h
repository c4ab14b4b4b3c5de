// bounds_engine.h: what bounds alone can prove.
//
// In:  a query. Out: holds if bounds exclude every conjunction of the unsafe set; unknown otherwise. No search and no
//      witness: the certified lower bounds that exact answers are compared with.
//
// Units are bounded by the methods of the list; the unsafe set's functionals by backward substitution from the outputs,
// with optimised slopes where alpha or more is in the list. Rigorous, unless some bound is a solver's claim (milp).
#pragma once

#include "base/limits.h"
#include "milp/tightening/progressive.h"
#include "property/query.h"
#include "verdict/verdict.h"

namespace plumb::milp {

// The solver is needed for linear and mixed-integer programs only, and may be null otherwise.
verdict::Verdict decide_by_bounds(const bounds::BoundedNetwork& network, const property::Query& query,
                                  const TighteningOptions& options, const program::Solver* solver,
                                  const Limits& limits);

}  // namespace plumb::milp
