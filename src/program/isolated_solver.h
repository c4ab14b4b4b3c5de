// isolated_solver.h: a solver that may crash, hang or print without harm.
//
// In:  any Solver.
// Out: a Solver that runs each solve() in a forked child and receives the result through a socket. If the child dies,
//      the result is kFailed ("the solver crashed: signal 11 ..."). A child that outlives the time limit or a
//      cancellation by more than the grace period is killed. The child's standard output and error go to /dev/null. The
//      child dies with its parent.
//
// confirm() runs in the parent, on the calling thread: the child sends the point and waits for the reply. So confirm()
// may keep what it confirmed and take locks, which code in a forked child must not do.
//
// Relies on: Linux and glibc. After fork() in a program with threads, POSIX guarantees only async-signal-safe functions
//            in the child. glibc also makes malloc and stdio usable there (the allocators of the sanitizers do not).
//            The solver must not need a lock that another thread of the parent held, nor such a thread itself. Back
//            ends that create what they need inside solve() qualify, and those in src/solvers do.
// Costs:     a fork (a millisecond if the parent is large) and a copy of the result. Sessions fork once per solve: for
//            thousands of small LPs, open the session on the solver itself.
#pragma once

#include <memory>

#include "program/solver.h"

namespace plumb::program {

class IsolatedSolver : public Solver {
 public:
  // The child is killed `grace` seconds after the time limit of the request or after a cancellation.
  explicit IsolatedSolver(std::unique_ptr<const Solver> inner, double grace = 5)
      : inner_(std::move(inner)), grace_(grace) {}

  const SolverInfo& info() const override { return inner_->info(); }
  SolveResult solve(const Program& program, const SolveRequest& request) const override;

 private:
  std::unique_ptr<const Solver> inner_;
  double grace_;
};

}  // namespace plumb::program
