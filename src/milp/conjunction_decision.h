// conjunction_decision.h: decides conjunctions of an unsafe set over one part of a region by programs. These are the
// steps `relaxation`, `program` and `repair` of milp_engine.h.
//
// In:  a program whose objective is the margin of the conjunctions. Out: whether they are refuted, and by what.
#pragma once

#include "milp/milp_engine.h"
#include "milp/part_work.h"

namespace plumb::milp {

// Minimises the margin of the conjunctions. The solver stops as soon as its bound says that no point satisfies them, or
// as soon as one of its points is a witness. Minimising guides it better than asking for any point would.
// Raises part.missed_by of the conjunctions to what is proven or claimed, and sets part.query.witness if there is one.
Outcome decide_conjunctions(const program::Solver& solver, const MilpOptions& options, PartWork& part,
                            const std::vector<std::size_t>& conjunctions, Encoding encoding);

}  // namespace plumb::milp
