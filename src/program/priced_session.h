// priced_session.h: linear programs of which few columns matter, solved over those few.
//
// In an l1 ball most coordinates stay at the centre: a vertex moves no more of them than there are rows. The session
// gives its solver only the columns that have mattered so far, computes the reduced costs of the others from the row
// duals (or from the Farkas ray), and solves again with those that could lower the objective (or make the program
// feasible), until there are none.
//
// In:  a program, and its variables that may be left out: their lower bound is zero, and stays it.
// Out: claims about the whole program, as a session over all of it makes them.
//
// Follows: column generation, Gilmore and Gomory 1961.
#pragma once

#include <memory>
#include <span>

#include "program/solver.h"

namespace plumb::program {

// A plain session where nothing or everything may be left out, the solver has no duals or rays, or the objective is
// quadratic. A session may not outlive its solver.
std::unique_ptr<LpSession> open_priced_session(const Solver& solver, const Program& program,
                                               std::span<const VariableId> may_be_left_out);

}  // namespace plumb::program
