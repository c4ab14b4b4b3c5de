// milp_request.h: solver requests that stay within a budget, and solves that are charged to it.
#pragma once

#include "base/limits.h"
#include "milp/milp_engine.h"
#include "program/solver.h"

namespace plumb::milp {

// Sets time, nodes, threads, seed and cancellation, and nothing about the question.
program::SolveRequest request_within(const Budget& budget, const program::Solver& solver, const MilpOptions& options);

// Solves, and adds what the solve took to `budget` and `statistics`.
program::SolveResult solve_counted(const program::Solver& solver, const program::Program& program,
                                   const program::SolveRequest& request, Budget& budget,
                                   verdict::Statistics& statistics);

}  // namespace plumb::milp
