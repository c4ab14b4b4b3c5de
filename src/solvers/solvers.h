// solvers.h: the back ends there are, and how to get one.
//
// HiGHS, Cbc, GLPK and Bonmin are modules: shared objects beside the program, loaded when first asked for. A program
// that does not solve anything then does not load them (nor the BLAS libraries behind them, whose threads spin at
// start), and GLPK's licence binds its module only. Gurobi is loaded from the user's installation. The outer
// approximation is Plumb's own, on HiGHS.
//
// Whatever make_solver() returns is a CheckedSolver, prints nothing, and may be used by several threads at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "program/solver.h"

namespace plumb::solvers {

inline constexpr const char* kDefaultSolver = "highs";
// For programs with integer variables and a quadratic objective.
inline constexpr const char* kDefaultQuadraticSolver = "outer";

// Every back end, the default first, with the reason where one is not available.
std::vector<program::SolverInfo> list_solvers();

struct SolverOptions {
  // Each solve() in a process of its own (isolated_solver.h), killed when it outlives its limits by `grace` seconds.
  bool isolated = false;
  double grace = 5;
};

// Throws UsageError if there is no solver of that name, UnavailableError if it cannot be used here.
std::unique_ptr<const program::Solver> make_solver(const std::string& name, const SolverOptions& options = {});

}  // namespace plumb::solvers
