// milp_request.h: what is left of a budget, as a solver is asked to keep it.
#pragma once

#include "base/limits.h"
#include "milp/milp_engine.h"
#include "program/solver.h"

namespace plumb::milp {

// Time, nodes, threads, seed and cancellation; nothing about the question.
program::SolveRequest request_within(const Budget& budget, const program::Solver& solver, const MilpOptions& options);

}  // namespace plumb::milp
