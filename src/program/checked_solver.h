// checked_solver.h: a solver whose claims are checked.
//
// In:  any Solver.
// Out: a Solver with the same answers, except that an answer that contradicts itself, the program or the request
//      becomes kFailed. The message says which claim failed: a point outside rows, bounds or integers, an objective
//      that is not the point's, a bound above a feasible point, duals that do not prove the optimum, a ray that proves
//      nothing, a status that was not asked for, or NaN anywhere.
//
// Sound:   a claim that passes is plausible, not proven: "infeasible" and the bound of an integer program cannot be
//          checked this cheaply. certified_bound.h proves what row duals can prove.
// Refuses: programs of which the solver would ignore coefficients that matter (SolverInfo::ignored_coefficient).
// Sessions
//          do not: their linear programs are believed for their duals, which are certified against the rows as given.
// Costs:   a few passes over the rows, no solve.
#pragma once

#include <memory>

#include "program/solver.h"

namespace plumb::program {

class CheckedSolver : public Solver {
 public:
  explicit CheckedSolver(std::unique_ptr<const Solver> inner) : inner_(std::move(inner)) {}

  const SolverInfo& info() const override { return inner_->info(); }
  // Throws InternalError for an invalid request (a limit that is NaN, start values of another program).
  SolveResult solve(const Program& program, const SolveRequest& request) const override;
  std::unique_ptr<LpSession> open_session(const Program& program) const override;

 private:
  std::unique_ptr<const Solver> inner_;
};

// Returns the first claim that fails, or nothing if all pass.
std::optional<std::string> false_claim(const Program& program, const SolveRequest& request, const SolveResult& result);

}  // namespace plumb::program
