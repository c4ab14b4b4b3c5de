#include "milp/conjunction_decision.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers.h"
#include "milp/milp_request.h"
#include "milp/tolerances.h"
#include "program/certified_bound.h"

namespace plumb::milp {
namespace {

// How often a solution that is no witness is left out and the solver asked again.
constexpr int kMostExclusions = 12;

class ConjunctionDecision {
 public:
  ConjunctionDecision(const program::Solver& solver, const MilpOptions& options, PartWork& part,
                      const std::vector<std::size_t>& conjunctions, Encoding encoding)
      : solver_(solver),
        options_(options),
        part_(part),
        work_(part.query),
        conjunctions_(conjunctions),
        encoding_(std::move(encoding)) {}

  Outcome run() {
    if (auto outcome = solve_relaxation()) return *outcome;
    if (auto outcome = solve_program()) return *outcome;
    return unknown("witness not confirmed: the solver's points are unsafe only within its tolerances");
  }

 private:
  // Solves without integrality, in rounds. The bounds are certified, and the points may be near a witness. Adds the
  // rows that separation found to the program.
  std::optional<Outcome> solve_relaxation() {
    HullRounds rounds(encoding_, 0, options_.cuts);
    std::optional<Outcome> outcome;
    do {
      const program::SolveResult result = solve_linear(rounds.relaxation());
      note(rounds.take(result));
      if (rounds.bound() > 0)
        outcome = holds("linear program", part_.evidence);
      else if (result.status == program::SolveStatus::kOptimal && confirm(result.point))
        outcome = violated("linear program");
    } while (!outcome && work_.budget.reached() == LimitReached::kNone && rounds.next());
    work_.statistics.cuts += rounds.rows_added();
    work_.statistics.cut_rounds += rounds.rounds();
    encoding_ = rounds.encoding();
    return outcome;
  }

  program::SolveResult solve_linear(const program::Program& program) {
    program::SolveRequest request;
    request.time_limit = work_.budget.seconds_left();
    request.cancel = work_.budget.cancel();
    const Clock clock;
    program::SolveResult result = solver_.solve(program, request);
    part_.solve_seconds += clock.seconds();
    work_.budget.charge(1);
    ++work_.statistics.lps;
    work_.statistics.simplex_iterations += result.simplex_iterations;
    return result;
  }

  // Records that the conjunctions are missed by at least `bound`.
  void note(double bound) {
    for (const std::size_t c : conjunctions_) part_.missed_by[c] = std::max(part_.missed_by[c], bound);
  }

  // Returns nothing if neither a bound nor a witness decides. A solution that is no witness is repaired. If that fails,
  // its activation pattern is excluded and the solver is asked again. Unless the pattern was proven safe, the rest
  // proves nothing, but may still contain a witness.
  std::optional<Outcome> solve_program() {
    int exclusions = 0;
    double excluded = kInfinity;  // a lower bound on the margin of all excluded patterns
    for (int round = 0; round < kMostTangentRounds; ++round) {
      if (const auto limit = work_.budget.reached(); limit != LimitReached::kNone) return unknown(name_of(limit));
      const program::SolveResult result = call_solver();
      switch (result.status) {
        case program::SolveStatus::kInfeasible:
        case program::SolveStatus::kCutOff:
          return claimed(std::min(excluded, kClearance));
        case program::SolveStatus::kBoundPassed:
          return claimed(std::min(excluded, result.best_bound));
        case program::SolveStatus::kSolutionAccepted:
          return violated(solver_.info().name);
        case program::SolveStatus::kOptimal:
          if (result.best_bound > kClearance) {
            return claimed(std::min(excluded, result.best_bound));
          }
          if (encoding_.cut_off(result.point, kSphereTolerance)) break;
          excluded = std::min(excluded, repair(result.point));
          if (work_.witness) return violated(solver_.info().name);
          if (++exclusions > kMostExclusions || !encoding_.exclude_indicators_of(result.point)) return std::nullopt;
          break;
        case program::SolveStatus::kTimeLimit:
          return unknown(name_of(LimitReached::kTime));
        case program::SolveStatus::kWorkLimit:
          return unknown(name_of(LimitReached::kWork));
        case program::SolveStatus::kCancelled:
          return unknown(name_of(LimitReached::kCancelled));
        case program::SolveStatus::kUnbounded:
          return unknown(fmt::format("{} claims that a bounded program is unbounded", solver_.info().name));
        case program::SolveStatus::kFailed:
          return unknown(fmt::format("{} failed: {}", solver_.info().name, result.message));
      }
    }
    return std::nullopt;
  }

  // A solution may owe its objective to indicators that are not quite 0 or 1. With its indicators rounded and fixed,
  // the network is affine up to its errors, and a linear program finds the deepest unsafe point of that activation
  // pattern. Sets work_.witness if the point is a witness. Otherwise returns the lower bound on the pattern's margin
  // that the duals prove.
  double repair(std::span<const double> solution) {
    for (int round = 0; round < kMostTangentRounds; ++round) {
      const program::Program pattern = encoding_.with_indicators_of(solution);
      const program::SolveResult result = solve_linear(pattern);
      if (!result.farkas_ray.empty() && proves_infeasible(pattern, result.farkas_ray)) return kInfinity;
      const double bound = result.row_duals.empty() ? -kInfinity : certified_bound(pattern, result.row_duals);
      if (bound > 0 || result.status != program::SolveStatus::kOptimal || confirm(result.point)) return bound;
      note_over_reals(result.point);
      if (!encoding_.cut_off(result.point, kSphereTolerance)) return bound;
    }
    return -kInfinity;
  }

  // Returns nothing if the bound, which may be that of an excluded pattern, is not positive.
  std::optional<Outcome> claimed(double bound) {
    if (!(bound > 0)) return std::nullopt;
    note(bound);
    return holds(solver_.info().name, verdict::Evidence::kSolver);
  }

  program::SolveResult call_solver() {
    program::SolveRequest request = request_within(work_.budget, solver_, options_);
    request.cutoff = request.stop_at_bound = kClearance;
    request.confirm = [&](std::span<const double> point) {
      return confirm(point) ? program::Confirmation::kAccept : program::Confirmation::kKeepGoing;
    };
    const Clock clock;
    const program::SolveResult result = solver_.solve(encoding_.program(), request);
    part_.solve_seconds += clock.seconds();
    work_.budget.charge(result.nodes + 1);
    work_.statistics.nodes += result.nodes;
    work_.statistics.simplex_iterations += result.simplex_iterations;
    return result;
  }

  // Lifts a solver's point, rounds it into the region and moves it deeper into the unsafe set if it can.
  bool confirm(std::span<const double> point) {
    if (std::holds_alternative<property::AffineImage>(part_.region))
      work_.witness = work_.check.polish_parameters(part_.number, encoding_.lift(point, middle(part_.region)));
    else
      work_.witness = work_.check.polish(encoding_.lift(point, middle(part_.region)));
    return work_.witness.has_value();
  }

  void note_over_reals(std::span<const double> point) {
    if (work_.over_reals) return;
    const std::vector<double> lifted = encoding_.lift(point, middle(part_.region));
    work_.over_reals = std::holds_alternative<property::AffineImage>(part_.region)
                           ? work_.check.confirm_parameters_over_reals(part_.number, lifted)
                           : work_.check.confirm_over_reals(lifted);
  }

  const program::Solver& solver_;
  const MilpOptions& options_;
  PartWork& part_;
  QueryWork& work_;
  const std::vector<std::size_t>& conjunctions_;
  Encoding encoding_;
};

}  // namespace

Outcome decide_conjunctions(const program::Solver& solver, const MilpOptions& options, PartWork& part,
                            const std::vector<std::size_t>& conjunctions, Encoding encoding) {
  return ConjunctionDecision(solver, options, part, conjunctions, std::move(encoding)).run();
}

}  // namespace plumb::milp
