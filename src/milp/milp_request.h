// milp_request.h: a solver is asked to keep what is left of a budget, and what it took is counted.
#pragma once

#include "base/limits.h"
#include "milp/milp_engine.h"
#include "program/solver.h"

namespace plumb::milp {

// Time, nodes, threads, seed and cancellation; nothing about the question.
program::SolveRequest request_within(const Budget& budget, const program::Solver& solver, const MilpOptions& options);

// Solves, and counts what that took.
program::SolveResult solve_counted(const program::Solver& solver, const program::Program& program,
                                   const program::SolveRequest& request, Budget& budget,
                                   verdict::Statistics& statistics);

}  // namespace plumb::milp
