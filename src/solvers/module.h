// module.h: what a module with a back end exports, and how modules are found.
//
// A module is built together with the program: it hands over a C++ object, so both must agree on solver.h. The
// interface number guards against a module that was left behind by an older build; change it with solver.h or
// program.h.
#pragma once

#include <memory>
#include <string>

#include "program/solver.h"

namespace plumb::solvers {

inline constexpr int kModuleInterface = 1;

using MakeSolver = program::Solver*();

// The module's solver. If the module cannot be loaded, or is of another build: a solver with that reason in
// info().unavailable, and with `fallback` for the rest. Modules stay loaded until the program ends.
std::unique_ptr<const program::Solver> load_module(const std::string& name, program::SolverInfo fallback);

// A solver that only says why it is not there.
std::unique_ptr<const program::Solver> unavailable_solver(program::SolverInfo info, std::string reason);

}  // namespace plumb::solvers

// Stands once in every module.
#define PLUMB_SOLVER_MODULE(Type)                                                  \
  extern "C" __attribute__((visibility("default"))) int plumb_module_interface() { \
    return plumb::solvers::kModuleInterface;                                       \
  }                                                                                \
  extern "C" __attribute__((visibility("default"))) plumb::program::Solver* plumb_make_solver() { return new Type; }
