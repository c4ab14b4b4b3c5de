// solver.h: what is asked of a solver, and what it claims.
//
// In:  a Program, a SolveRequest.
// Out: a SolveResult: the solver's *claims*. Nothing in it is proven. CheckedSolver (checked_solver.h) looks for claims
//      that contradict themselves or the program; certified_bound.h turns row duals into a bound that holds.
//
// Outcomes (infeasible, time limit, a solver that failed) are values of SolveStatus, never exceptions. If a request
// asks for something that the solver cannot do, the result is kFailed with a message that says so. Start values are a
// hint, which a solver may ignore.
//
// Threads: a Solver has no state between calls; solve() may run in several threads at once. An LpSession belongs to one
//          thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/program.h"

namespace plumb::program {

enum class SolveStatus : std::uint8_t {
  kOptimal,           // within the gaps of the request
  kInfeasible,        // no feasible point; kCutOff instead for an integer program with a cut-off
  kUnbounded,         // the objective has no lower bound
  kCutOff,            // no point with an objective of at most the cut-off
  kBoundPassed,       // the bound reached stop_at_bound
  kSolutionAccepted,  // confirm() accepted `point`
  kTimeLimit,
  kWorkLimit,
  kCancelled,
  kFailed,  // `message` says why; nothing else in the result means anything
};
const char* name_of(SolveStatus status);

enum class Confirmation : std::uint8_t { kAccept, kKeepGoing };

struct SolveRequest {
  double time_limit = kInfinity;  // seconds
  // Deterministic limits on work: nodes of branch and bound, and simplex iterations of a program without integer
  // variables. With one thread, the same limit on the same program ends in the same state on every machine.
  std::optional<std::int64_t> node_limit;
  std::optional<std::int64_t> iteration_limit;
  int threads = 1;
  int seed = 0;

  // An integer program counts as solved when objective - bound <= max(absolute_gap, relative_gap |objective|).
  double relative_gap = 1e-6;
  double absolute_gap = 1e-9;
  // How far a point may be outside a row or bound, and an integer variable from an integer.
  double feasibility_tolerance = 1e-7;
  double integrality_tolerance = 1e-6;

  // Points above this objective are of no interest. The status is kCutOff if there is none at or below it.
  std::optional<double> cutoff;
  // The solve ends with kBoundPassed as soon as the bound is at least this.
  std::optional<double> stop_at_bound;
  // Called with the points that the solver finds on its way, and with the optimal one. There is one call at a time, and
  // with one thread it is made on the thread that called solve(). kAccept ends the solve with kSolutionAccepted and
  // that point. Solvers show only points that are better than the last one: if all were declined and the status is
  // kOptimal, worse points may exist that were never shown.
  std::function<Confirmation(std::span<const double> point)> confirm;

  // A hint: one value per variable, NaN where it is unknown. May be empty.
  std::vector<double> start;

  // The solve ends with kCancelled soon after this becomes true. It is atomic, so that signal handlers may set it.
  const std::atomic<bool>* cancel = nullptr;
};

struct SolveResult {
  SolveStatus status = SolveStatus::kFailed;
  std::string message;  // for kFailed

  // The best point found, if any; empty otherwise.
  std::vector<double> point;
  double objective = kInfinity;

  // For an optimal program without integer variables: multipliers y of the rows, and c - A^T y (plus 2 q x if the
  // objective is quadratic). The objective is minimised, so y_i > 0 pushes up from row_lower_i and y_i < 0 pushes down
  // from row_upper_i. Empty if there are none.
  std::vector<double> row_duals, reduced_costs;
  // For an infeasible program without integer variables: row multipliers that show it, signs as above. May be empty.
  std::vector<double> farkas_ray;

  // No feasible point has an objective below this; -infinity if nothing is known.
  double best_bound = -kInfinity;

  std::int64_t nodes = 0;
  std::int64_t simplex_iterations = 0;
  double seconds = 0;

  bool has_point() const { return !point.empty(); }
};

// A result with status kFailed and this message.
SolveResult failed(std::string message);

// What a back end can do beyond linear programs.
struct Capabilities {
  bool integer = false;            // integer variables, linear objective
  bool quadratic = false;          // continuous variables, diagonal quadratic objective
  bool integer_quadratic = false;  // both
  bool duals = false;              // of linear programs
  bool farkas_ray = false;         // of linear programs
  bool start_values = false;
  bool cutoff = false;
  bool stop_at_bound = false;
  bool confirm = false;
  bool node_limit = false;
  bool iteration_limit = false;
  bool warm_sessions = false;  // open_session() keeps the basis between solves
  bool several_threads = false;
  bool cancel = false;  // ends soon after a cancellation; other back ends end at their limits
};

struct SolverInfo {
  std::string name;     // by which it is asked for
  std::string title;    // as its authors write it
  std::string version;  // empty if it is unknown because the library is missing
  std::string licence;
  Capabilities can;
  // Empty if the solver is available. Otherwise says why it is not, and what to do.
  std::string unavailable;
  // The solver takes coefficients of rows that are smaller than this for zero.
  double ignored_coefficient = 0;

  bool available() const { return unavailable.empty(); }
};

// Many solves over the same rows, each with its own objective and variable bounds. Integrality is ignored.
class LpSession {
 public:
  virtual ~LpSession() = default;
  LpSession(const LpSession&) = delete;
  LpSession& operator=(const LpSession&) = delete;

  // The program that the next solve() is about. Duals must be certified against this one.
  const Program& program() const { return program_; }

  // Replaces the linear objective.
  void set_objective(std::span<const Term> terms, double offset = 0);
  void set_variable_bounds(VariableId variable, double lower, double upper);

  // Uses time_limit, iteration_limit, tolerances, stop_at_bound (if the solver can) and cancel of the request.
  virtual SolveResult solve(const SolveRequest& request) = 0;

 protected:
  explicit LpSession(const Program& program) : program_(program.relaxation()) {}

 private:
  // Called after program() has changed.
  virtual void objective_changed() {}
  virtual void bounds_changed(VariableId) {}

  Program program_;
};

class Solver {
 public:
  virtual ~Solver() = default;

  virtual const SolverInfo& info() const = 0;
  virtual SolveResult solve(const Program& program, const SolveRequest& request) const = 0;

  // Returns a session that keeps its basis if info().can.warm_sessions, and one that solves from scratch otherwise. A
  // session must not outlive its solver.
  virtual std::unique_ptr<LpSession> open_session(const Program& program) const;
};

// Says why this solver cannot do what is asked; returns nothing if it can. Back ends call it first, and return kFailed
// with the reason.
std::optional<std::string> refusal(const SolverInfo& info, const Program& program, const SolveRequest& request);

}  // namespace plumb::program
