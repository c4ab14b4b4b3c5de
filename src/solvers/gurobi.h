// gurobi.h: Gurobi, loaded at run time from the user's installation.
//
// The library is looked for in GUROBI_HOME/lib if GUROBI_HOME is set, and where the system looks for libraries
// otherwise; newest version first (gurobi_library.h). Building Plumb needs nothing from Gurobi. If the library or a
// licence is missing, info().unavailable says which one and what to do.
#pragma once

#include <memory>

#include "program/solver.h"

namespace plumb::solvers {

std::unique_ptr<const program::Solver> make_gurobi();

}  // namespace plumb::solvers
