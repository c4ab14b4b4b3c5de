// gurobi.h: Gurobi, loaded at run time from the user's installation.
//
// The library is looked for in GUROBI_HOME/lib, then where the system looks for libraries, newest version first.
// Nothing of Gurobi's is needed to build Plumb: the functions used are declared in gurobi.cc, from its reference
// manual. Where the library or a licence is missing, info().unavailable says which, and what to do.
#pragma once

#include <memory>

#include "program/solver.h"

namespace plumb::solvers {

std::unique_ptr<const program::Solver> make_gurobi();

}  // namespace plumb::solvers
