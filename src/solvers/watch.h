// watch.h: what is the same for every back end while a solve runs, and when it has ended.
//
// A back end shows points and bounds to its Watch from callbacks, and stops when told to. Then it fills in what its
// library claims, and conclude() makes of that what the request asked for: cut-offs, bounds that were passed, points
// that were accepted. Exceptions of confirm() do not pass through the library; conclude() throws them again.
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

  // A point that the solver found; asks confirm(), once for each point.
  void show(std::span<const double> point);
  // A bound on what the solver has not searched yet; the highest counts. (Some solvers leave the points out that they
  // have found already, so those that were shown are taken into account here.)
  void raise_bound(double bound);
  // Whether the solve is to end: a point was accepted, a bound passed, the time over, or it was cancelled.
  bool must_stop();
  // For limits that the back end counts itself.
  void stop(program::SolveStatus status) {
    if (!stopped_) stopped_ = status;
  }

  double seconds() const;
  double seconds_left() const;

  // `claimed`: optimal, infeasible, unbounded, cut off, a limit or failed; with point, duals, bound and counts.
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

// Solvers compare objectives with tolerances of their own: they are given a cut-off a little above the one that was
// asked for, and conclude() compares again.
double loosened(double cutoff);

// Multipliers that show that a linear program is infeasible, from the duals of the program with the rows' violations
// minimised; empty if that does not work out. For libraries that have no such ray, or only sometimes.
std::vector<double> elastic_ray(const program::Solver& solver, const program::Program& program,
                                const program::SolveRequest& request);

}  // namespace plumb::solvers
