// isolated_solver.h: a solver that may crash, hang or print without harm.
//
// In:  any Solver.
// Out: a Solver that runs each solve() in a forked child and gets the result through a socket. A child that dies gives
//      kFailed ("the solver crashed: signal 11 ..."); one that outlives the time limit, or a cancellation, by the grace
//      is killed. The child's standard output and error go to /dev/null; it dies with its parent.
//
// confirm() runs in the parent, on the calling thread: the child sends the point and waits for the reply. The caller
// may thus keep what it confirmed, and take locks, which code in a forked child must not.
//
// Relies on: Linux and glibc. After fork() in a program with threads, POSIX promises the child async-signal-safe
//            functions only; glibc also makes malloc and stdio usable there (the sanitizers' allocators do not). The
//            solver must not need a lock, or a thread, that another thread of the parent held or was: back ends that
//            create what they need inside solve() qualify, and those in src/solvers do.
// Costs:     a fork (a millisecond where the parent is large) and a copy of the result. Sessions fork once a solve: for
//            thousands of small LPs open the session on the solver itself.
#pragma once

#include <memory>

#include "program/solver.h"

namespace plumb::program {

class IsolatedSolver : public Solver {
 public:
  // `grace`: seconds beyond the limit of a request before the child is killed.
  explicit IsolatedSolver(std::unique_ptr<const Solver> inner, double grace = 5)
      : inner_(std::move(inner)), grace_(grace) {}

  const SolverInfo& info() const override { return inner_->info(); }
  SolveResult solve(const Program& program, const SolveRequest& request) const override;

 private:
  std::unique_ptr<const Solver> inner_;
  double grace_;
};

}  // namespace plumb::program
