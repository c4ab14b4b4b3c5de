#include "solvers/solvers.h"

#include <fmt/format.h>

#include <functional>

#include "base/error.h"
#include "program/checked_solver.h"
#include "program/isolated_solver.h"
#include "solvers/gurobi.h"
#include "solvers/module.h"
#include "solvers/outer_approximation.h"

namespace plumb::solvers {
namespace {

struct BackEnd {
  program::SolverInfo info;  // what is known without its library
  std::function<std::unique_ptr<const program::Solver>(const program::SolverInfo&)> make;
};

std::unique_ptr<const program::Solver> from_module(const program::SolverInfo& info) {
  return load_module(info.name, info);
}

program::SolverInfo described(const char* name, const char* title, const char* licence) {
  program::SolverInfo info;
  info.name = name;
  info.title = title;
  info.licence = licence;
  return info;
}

program::SolverInfo highs() { return described("highs", "HiGHS", "MIT"); }

std::vector<BackEnd> back_ends() {
  return {
      {highs(), from_module},
      {described("cbc", "Cbc", "EPL-2.0"), from_module},
      {described("glpk", "GLPK", "GPL-3.0"), from_module},
      {described("gurobi", "Gurobi", "commercial"), [](const program::SolverInfo&) { return make_gurobi(); }},
      {described("outer", "Outer approximation", "MIT"),
       [](const program::SolverInfo&) { return make_outer_approximation(load_module("highs", highs())); }},
      {described("bonmin", "Bonmin", "EPL-1.0"), from_module},
  };
}

}  // namespace

std::vector<program::SolverInfo> list_solvers() {
  std::vector<program::SolverInfo> infos;
  for (const BackEnd& back_end : back_ends()) infos.push_back(back_end.make(back_end.info)->info());
  return infos;
}

std::unique_ptr<const program::Solver> make_solver(const std::string& name, const SolverOptions& options) {
  std::string names;
  for (const BackEnd& back_end : back_ends()) {
    names += (names.empty() ? "" : ", ") + back_end.info.name;
    if (back_end.info.name != name) continue;
    std::unique_ptr<const program::Solver> solver = back_end.make(back_end.info);
    if (!solver->info().available()) {
      throw UnavailableError(name, solver->info().unavailable, "see plumb solvers for what is available");
    }
    if (options.isolated) solver = std::make_unique<program::IsolatedSolver>(std::move(solver), options.grace);
    return std::make_unique<program::CheckedSolver>(std::move(solver));
  }
  throw ArgumentError("solver", fmt::format("unknown solver '{}'", name), fmt::format("known solvers: {}", names));
}

}  // namespace plumb::solvers
