// solvers.h: lists the back ends and creates solvers.
//
// HiGHS, Cbc, GLPK and Bonmin are modules: shared objects beside the program, loaded when first asked for. So a program
// that solves nothing does not load them (nor the BLAS libraries behind them, whose threads spin at start), and GLPK's
// licence binds its module only. Gurobi is loaded from the user's installation. The outer approximation is Plumb's own
// and runs on HiGHS.
//
// Every solver from make_solver() is a CheckedSolver, prints nothing, and may be used by several threads at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "program/solver.h"

namespace plumb::solvers {

inline constexpr const char* kDefaultSolver = "highs";
// For programs with integer variables and a quadratic objective.
inline constexpr const char* kDefaultQuadraticSolver = "outer";

// Every back end, the default first. If one is not available, `unavailable` says why.
std::vector<program::SolverInfo> list_solvers();

struct SolverOptions {
  // Run each solve() in its own process (isolated_solver.h), killed if it outlives its limits by `grace` seconds.
  bool isolated = false;
  double grace = 5;
};

// Throws ArgumentError if there is no solver of that name, UnavailableError if it cannot be used here.
std::unique_ptr<const program::Solver> make_solver(const std::string& name, const SolverOptions& options = {});

}  // namespace plumb::solvers
