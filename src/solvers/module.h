// module.h: what a module with a back end exports, and how modules are found.
//
// A module is built together with the program: it hands over a C++ object, so both must agree on solver.h. The
// interface number guards against a module left over from an older build. It must change with solver.h and program.h.
#pragma once

#include <memory>
#include <string>

#include "program/solver.h"

namespace plumb::solvers {

inline constexpr int kModuleInterface = 1;

using MakeSolver = program::Solver*();

// Returns the module's solver. If the module cannot be loaded or belongs to another build, returns a solver that has
// the reason in info().unavailable and otherwise the info of `fallback`. Modules stay loaded until the program ends.
std::unique_ptr<const program::Solver> load_module(const std::string& name, program::SolverInfo fallback);

// A solver that only reports why it is unavailable.
std::unique_ptr<const program::Solver> unavailable_solver(program::SolverInfo info, std::string reason);

}  // namespace plumb::solvers

// Every module contains this once.
#define PLUMB_SOLVER_MODULE(Type)                                                  \
  extern "C" __attribute__((visibility("default"))) int plumb_module_interface() { \
    return plumb::solvers::kModuleInterface;                                       \
  }                                                                                \
  extern "C" __attribute__((visibility("default"))) plumb::program::Solver* plumb_make_solver() { return new Type; }
