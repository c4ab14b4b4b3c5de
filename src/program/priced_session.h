// priced_session.h: linear programs in which few columns matter, solved over those few.
//
// In an l1 ball most coordinates stay at the centre: a vertex moves no more of them than there are rows. The session
// gives its solver only the columns that have mattered so far. It computes the reduced costs of the others from the row
// duals (or from the Farkas ray), and solves again with those that could lower the objective (or make the program
// feasible), until there are none.
//
// In:  a program, and those of its variables that may be left out. Their lower bound must be zero and stay zero.
// Out: claims about the whole program, like those of a session over all columns.
//
// Follows: column generation, Gilmore and Gomory 1961.
#pragma once

#include <memory>
#include <span>

#include "program/solver.h"

namespace plumb::program {

// Returns a plain session if nothing or everything may be left out, if the solver has no duals or rays, or if the
// objective is quadratic. A session must not outlive its solver.
std::unique_ptr<LpSession> open_priced_session(const Solver& solver, const Program& program,
                                               std::span<const VariableId> may_be_left_out);

}  // namespace plumb::program
