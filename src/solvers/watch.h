// watch.h: what is the same for every back end while a solve runs and when it has ended.
//
// A back end shows points and bounds to its Watch from callbacks, and stops when the Watch says so. Then it fills in
// what its library claims, and conclude() turns that into what the request asked for: cut-offs, bounds that were
// passed, points that were accepted. Exceptions of confirm() do not pass through the library; conclude() throws them
// again.
#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "base/numbers.h"
#include "program/solver.h"

namespace plumb::solvers {

class Watch {
 public:
  Watch(const program::Program& program, const program::SolveRequest& request) : program_(program), request_(request) {}

  // Takes a point that the solver found. Calls confirm() once for each point.
  void show(std::span<const double> point);
  // Takes a bound on what the solver has not searched yet; the highest one counts. Some solvers leave out of their
  // bound the points that they have already found, so the Watch takes the points that were shown into account.
  void raise_bound(double bound);
  // Whether the solve must end: a point was accepted, a bound was passed, the time is over, or the solve was cancelled.
  bool must_stop();
  // For limits that the back end counts itself.
  void stop(program::SolveStatus status) {
    if (!stopped_) stopped_ = status;
  }

  double seconds() const;
  double seconds_left() const;

  // `claimed` is optimal, infeasible, unbounded, cut off, a limit or failed, with point, duals, bound and counts.
  program::SolveResult conclude(program::SolveResult claimed);

 private:
  double bound() const { return std::min(bound_, best_); }

  const program::Program& program_;
  const program::SolveRequest& request_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<program::SolveStatus> stopped_;
  std::vector<double> shown_;                     // the last point that confirm() saw
  double bound_ = -kInfinity, best_ = kInfinity;  // best_: the least objective that was shown
  std::exception_ptr error_;
};

// Solvers compare objectives with tolerances of their own. So they get a cut-off slightly above the one that was asked
// for, and conclude() compares again.
double loosened(double cutoff);

// Multipliers that show that a linear program is infeasible: the duals of a program that minimises the violations of
// its rows. Empty if these prove nothing. For libraries that have no such ray, or have it only sometimes.
std::vector<double> elastic_ray(const program::Solver& solver, const program::Program& program,
                                const program::SolveRequest& request);

}  // namespace plumb::solvers
