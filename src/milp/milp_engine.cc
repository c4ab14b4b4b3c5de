#include "milp/milp_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/numbers.h"
#include "bounds/summary.h"
#include "lanes/row_source.h"
#include "milp/milp_request.h"
#include "milp/tolerances.h"
#include "program/certified_bound.h"

namespace plumb::milp {
namespace {

// How often a solution that is no witness is left out and the solver asked again.
constexpr int kMostExclusions = 12;

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The outcome of one question to the solver, or of one part of the region.
struct Outcome {
  verdict::Answer answer = verdict::Answer::kUnknown;
  std::string reason;
  verdict::Evidence evidence = verdict::Evidence::kRigorous;
};

Outcome holds(std::string reason, verdict::Evidence evidence) {
  return {.answer = verdict::Answer::kHolds, .reason = std::move(reason), .evidence = evidence};
}
Outcome violated(std::string reason) { return {.answer = verdict::Answer::kViolated, .reason = std::move(reason)}; }
Outcome unknown(std::string reason) { return {.answer = verdict::Answer::kUnknown, .reason = std::move(reason)}; }

// What all parts of one query share.
struct Work {
  Work(const property::Query& asked, const Limits& limits, std::shared_ptr<const attack::NetworkEvaluators> evaluators)
      : query(asked), budget(limits), check(asked, std::move(evaluators)) {}

  const property::Query& query;
  Budget budget;
  attack::WitnessCheck check;
  std::optional<verdict::Witness> witness;
  std::optional<verdict::Witness> over_reals;  // unsafe over the reals, but not confirmed in float32
  bool attacked = false;
  verdict::Statistics statistics;
};

// Decides one part of the region, from its bounds to its programs.
class PartDecision {
 public:
  PartDecision(const std::shared_ptr<const bounds::BoundedNetwork>& network, const program::Solver& solver,
               const MilpOptions& options, std::shared_ptr<const attack::NetworkEvaluators> evaluators, Work& work,
               std::size_t part)
      : network_(network),
        solver_(solver),
        options_(options),
        evaluators_(std::move(evaluators)),
        work_(work),
        part_number_(part),
        part_(work.query.region.parts()[part]),
        encoding_options_{options.big_m, std::max(kIgnoredCoefficient, solver.info().ignored_coefficient)} {}

  Outcome run() {
    const Clock clock;
    Outcome outcome;
    try {
      outcome = run_ladder();
    } catch (const OverflowError& error) {
      return unknown(verdict::unknown_by(error).reason);
    }
    if (outcome.answer != verdict::Answer::kViolated && work_.over_reals) {
      work_.witness = std::move(work_.over_reals);
      outcome = violated(solver_.info().name);
    }
    count_layers();
    work_.statistics.build_seconds += clock.seconds() - solve_seconds_;
    work_.statistics.solve_seconds += solve_seconds_;
    return outcome;
  }

  // In this part the unsafe set is missed by at least this much, by proofs or a solver's claims.
  double margin_lower() const {
    if (bounds_ == nullptr) return -kInfinity;
    double least = kInfinity;
    for (const double missed : missed_by_) least = std::min(least, missed);
    return least;
  }

 private:
  Outcome run_ladder() {
    if (const auto limit = work_.budget.reached(); limit != LimitReached::kNone) return unknown(name_of(limit));
    bound();
    if (open_.empty()) return holds_by_bounds("linear bounds");
    if (attack()) return violated("attack");
    tighten();
    if (open_.empty()) return holds_by_bounds("tightened bounds");
    if (const auto limit = work_.budget.reached(); limit != LimitReached::kNone) return unknown(name_of(limit));
    return solve();
  }

  Outcome holds_by_bounds(const char* which) const {
    if (bounds_->store.region_is_empty()) return holds("the region is empty", evidence_);
    return holds(which, evidence_);
  }

  // `layers` describes the last part that was bounded; the other counts are sums over the parts.
  void count_layers() {
    if (bounds_ != nullptr) work_.statistics.count_layers(summarise(*bounds_));
  }

  bool goes_beyond_linear() const { return options_.tightening.methods.back() > bounds::BoundMethod::kLinear; }

  // Computes intervals and linear bounds, or takes those of the domain.
  void bound() {
    const bool ball_or_box =
        std::holds_alternative<property::Ball>(part_) || std::holds_alternative<property::Box>(part_);
    if (options_.domain && ball_or_box) {
      bounds_ = options_.domain.get();
      evidence_ = uses_claims(*bounds_) ? verdict::Evidence::kSolver : verdict::Evidence::kRigorous;
    } else {
      TighteningOptions cheap = options_.tightening;
      std::erase_if(cheap.methods, [](bounds::BoundMethod method) { return method > bounds::BoundMethod::kLinear; });
      if (cheap.methods.empty()) cheap.methods = {bounds::BoundMethod::kInterval};
      // If not progressive, the last method bounds every element again, so linear bounds would gain nothing.
      if (!cheap.progressive && goes_beyond_linear()) cheap.methods = {bounds::BoundMethod::kInterval};
      compute(cheap);
    }
    unsafe_ = unsafe_functionals(*bounds_, work_.query.unsafe);
    lower_.assign(static_cast<std::size_t>(unsafe_.rows.count), -kInfinity);
    for (std::size_t c = 0; c < unsafe_.conjunctions(); ++c) open_.push_back(c);
    exclude(lower_bounds(*bounds_, unsafe_.rows));
    if (bounds_->store.region_is_empty()) open_.clear();
  }

  void compute(const TighteningOptions& tightening) {
    own_bounds_.emplace(network_, property::Region(part_));
    bounds_ = &*own_bounds_;
    const ElementBoundStatistics counts = compute_tight_bounds(*own_bounds_, tightening, &solver_, work_.budget);
    work_.statistics.lps += counts.lps;
    work_.statistics.nodes += counts.nodes;
    work_.statistics.simplex_iterations += counts.simplex_iterations;
    if (uses_claims(*own_bounds_)) evidence_ = verdict::Evidence::kSolver;
  }

  // Bounds all nodes again from the start, with the expensive methods too, so that each layer rests on the best bounds
  // of those before it.
  void tighten() {
    if (!goes_beyond_linear() || !own_bounds_) return;
    TighteningOptions tightening = options_.tightening;
    tightening.programs.encoding = encoding_options_;
    tightening.programs.layered = options_.network == NetworkForm::kLayered;
    compute(tightening);
    if (bounds_->store.region_is_empty()) return open_.clear();
    if (work_.budget.reached() != LimitReached::kNone) return;
    const bool slopes = std::ranges::find(tightening.methods, bounds::BoundMethod::kAlpha) != tightening.methods.end();
    lanes::RowSource rows(*bounds_, unsafe_.rows, tightening.programs.most_bytes, *tightening.back_end);
    exclude(rows.lower_bounds(slopes ? tightening.slope_steps : 0, nullptr, &work_.budget));
    if (rows.reduced() != nullptr) reduced_ = std::move(*rows.reduced());
  }

  // Takes better lower bounds of the functionals. Drops the conjunctions that they refute, and sorts the rest by how
  // promising they are.
  void exclude(const std::vector<double>& lower) {
    for (std::size_t row = 0; row < lower.size(); ++row) lower_[row] = std::max(lower_[row], lower[row]);
    const std::size_t before = open_.size();
    std::erase_if(open_, [&](std::size_t c) { return is_refuted(unsafe_, lower_, c); });
    work_.statistics.conjunctions_eliminated += static_cast<std::int64_t>(before - open_.size());
    missed_by_.resize(unsafe_.conjunctions(), -kInfinity);
    for (std::size_t c = 0; c < missed_by_.size(); ++c) {
      missed_by_[c] = std::max(missed_by_[c], missed_by(unsafe_, lower_, c));
    }
    std::ranges::stable_sort(open_, {}, [&](std::size_t c) { return missed_by_[c]; });
  }

  // Attacks the whole region, once per query.
  bool attack() {
    if (work_.attacked || options_.attack.restarts == 0) return false;
    work_.attacked = true;
    work_.witness = gradient_attack(work_.query, evaluators_, options_.attack, &work_.budget).witness;
    return work_.witness.has_value();
  }

  EncodedNetwork encode() {
    if (options_.network == NetworkForm::kReduced) {
      if (!reduced_)
        reduced_ = reduction::ReducedNetwork::build(*bounds_, unsafe_.rows, options_.tightening.programs.most_bytes);
      if (reduced_) return encode_reduced(*reduced_, encoding_options_);
    }
    return encode_layered(*bounds_, unsafe_.rows, encoding_options_);
  }

  Encoding encoding(const EncodedNetwork& network) const {
    return Encoding(network, part_, unsafe_, encoding_options_.ignored_coefficient);
  }

  // Decides each conjunction by a program of its own, or all of them by one.
  Outcome solve() {
    const EncodedNetwork network = encode();
    if (options_.on_program) {
      Encoding whole = encoding(network);
      whole.ask_feasibility(open_, 0);
      options_.on_program(whole.program());
    }
    std::vector<std::vector<std::size_t>> questions;
    if (options_.conjunctions == ConjunctionForm::kTogether)
      questions.push_back(open_);
    else
      for (const std::size_t c : open_) questions.push_back({c});
    Outcome worst = holds("linear program", evidence_);
    for (const auto& conjunctions : questions) {
      if (const auto limit = work_.budget.reached(); limit != LimitReached::kNone) return unknown(name_of(limit));
      const Outcome outcome = solve(network, conjunctions);
      if (outcome.answer == verdict::Answer::kViolated) return outcome;
      const bool claimed = outcome.evidence == verdict::Evidence::kSolver && worst.answer == verdict::Answer::kHolds;
      if (outcome.answer == verdict::Answer::kUnknown || claimed) worst = outcome;
    }
    return worst;
  }

  // Minimises the margin of the conjunctions. The solver stops as soon as its bound says that no point satisfies them,
  // or as soon as one of its points is a witness. Minimising guides it better than asking for any point would.
  Outcome solve(const EncodedNetwork& network, const std::vector<std::size_t>& conjunctions) {
    Encoding asked = encoding(network);
    asked.ask_margin(conjunctions);
    if (auto outcome = solve_relaxation(asked, conjunctions)) return *outcome;
    if (auto outcome = solve(asked, conjunctions)) return *outcome;
    return unknown("witness not confirmed: the solver's points are unsafe only within its tolerances");
  }

  // Solves without integrality, in rounds. The bounds are certified, and the points may be near a witness. Adds the
  // rows that separation found to `encoding`.
  std::optional<Outcome> solve_relaxation(Encoding& encoding, const std::vector<std::size_t>& conjunctions) {
    HullRounds rounds(encoding, 0, options_.cuts);
    std::optional<Outcome> outcome;
    do {
      const program::SolveResult result = solve_linear(rounds.relaxation());
      note(conjunctions, rounds.take(result));
      if (rounds.bound() > 0)
        outcome = holds("linear program", evidence_);
      else if (result.status == program::SolveStatus::kOptimal && confirm(encoding, result.point))
        outcome = violated("linear program");
    } while (!outcome && work_.budget.reached() == LimitReached::kNone && rounds.next());
    work_.statistics.cuts += rounds.rows_added();
    work_.statistics.cut_rounds += rounds.rounds();
    encoding = rounds.encoding();
    return outcome;
  }

  program::SolveResult solve_linear(const program::Program& program) {
    program::SolveRequest request;
    request.time_limit = work_.budget.seconds_left();
    request.cancel = work_.budget.cancel();
    const Clock clock;
    program::SolveResult result = solver_.solve(program, request);
    solve_seconds_ += clock.seconds();
    work_.budget.charge(1);
    ++work_.statistics.lps;
    work_.statistics.simplex_iterations += result.simplex_iterations;
    return result;
  }

  // Records that the conjunctions are missed by at least `bound`.
  void note(const std::vector<std::size_t>& conjunctions, double bound) {
    for (const std::size_t c : conjunctions) missed_by_[c] = std::max(missed_by_[c], bound);
  }

  // Returns nothing if neither a bound nor a witness decides. A solution that is no witness is repaired. If that fails,
  // its activation pattern is excluded and the solver is asked again. Unless the pattern was proven safe, the rest
  // proves nothing, but may still contain a witness.
  std::optional<Outcome> solve(Encoding& encoding, const std::vector<std::size_t>& conjunctions) {
    int exclusions = 0;
    double excluded = kInfinity;  // a lower bound on the margin of all excluded patterns
    for (int round = 0; round < kMostTangentRounds; ++round) {
      if (const auto limit = work_.budget.reached(); limit != LimitReached::kNone) return unknown(name_of(limit));
      const program::SolveResult result = call_solver(encoding);
      switch (result.status) {
        case program::SolveStatus::kInfeasible:
        case program::SolveStatus::kCutOff:
          return claimed(conjunctions, std::min(excluded, kClearance));
        case program::SolveStatus::kBoundPassed:
          return claimed(conjunctions, std::min(excluded, result.best_bound));
        case program::SolveStatus::kSolutionAccepted:
          return violated(solver_.info().name);
        case program::SolveStatus::kOptimal:
          if (result.best_bound > kClearance) {
            return claimed(conjunctions, std::min(excluded, result.best_bound));
          }
          if (encoding.cut_off(result.point, kSphereTolerance)) break;
          excluded = std::min(excluded, repair(encoding, result.point));
          if (work_.witness) return violated(solver_.info().name);
          if (++exclusions > kMostExclusions || !encoding.exclude_indicators_of(result.point)) return std::nullopt;
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
  double repair(Encoding& encoding, std::span<const double> solution) {
    for (int round = 0; round < kMostTangentRounds; ++round) {
      const program::Program pattern = encoding.with_indicators_of(solution);
      const program::SolveResult result = solve_linear(pattern);
      if (!result.farkas_ray.empty() && proves_infeasible(pattern, result.farkas_ray)) return kInfinity;
      const double bound = result.row_duals.empty() ? -kInfinity : certified_bound(pattern, result.row_duals);
      if (bound > 0 || result.status != program::SolveStatus::kOptimal || confirm(encoding, result.point)) return bound;
      note_over_reals(encoding, result.point);
      if (!encoding.cut_off(result.point, kSphereTolerance)) return bound;
    }
    return -kInfinity;
  }

  // Returns nothing if the bound, which may be that of an excluded pattern, is not positive.
  std::optional<Outcome> claimed(const std::vector<std::size_t>& conjunctions, double bound) {
    if (!(bound > 0)) return std::nullopt;
    note(conjunctions, bound);
    return holds(solver_.info().name, verdict::Evidence::kSolver);
  }

  program::SolveResult call_solver(const Encoding& encoding) {
    program::SolveRequest request = request_within(work_.budget, solver_, options_);
    request.cutoff = request.stop_at_bound = kClearance;
    request.confirm = [&](std::span<const double> point) {
      return confirm(encoding, point) ? program::Confirmation::kAccept : program::Confirmation::kKeepGoing;
    };
    const Clock clock;
    const program::SolveResult result = solver_.solve(encoding.program(), request);
    solve_seconds_ += clock.seconds();
    work_.budget.charge(result.nodes + 1);
    work_.statistics.nodes += result.nodes;
    work_.statistics.simplex_iterations += result.simplex_iterations;
    return result;
  }

  // Lifts a solver's point, rounds it into the region and moves it deeper into the unsafe set if it can.
  bool confirm(const Encoding& encoding, std::span<const double> point) {
    if (std::holds_alternative<property::AffineImage>(part_))
      work_.witness = work_.check.polish_parameters(part_number_, encoding.lift(point, middle(part_)));
    else
      work_.witness = work_.check.polish(encoding.lift(point, middle(part_)));
    return work_.witness.has_value();
  }

  void note_over_reals(const Encoding& encoding, std::span<const double> point) {
    if (work_.over_reals) return;
    const std::vector<double> lifted = encoding.lift(point, middle(part_));
    work_.over_reals = std::holds_alternative<property::AffineImage>(part_)
                           ? work_.check.confirm_parameters_over_reals(part_number_, lifted)
                           : work_.check.confirm_over_reals(lifted);
  }

  const std::shared_ptr<const bounds::BoundedNetwork>& network_;
  const program::Solver& solver_;
  const MilpOptions& options_;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators_;
  Work& work_;
  std::size_t part_number_;
  const property::SimpleRegion& part_;
  EncodingOptions encoding_options_;
  std::optional<bounds::RegionBounds> own_bounds_;
  const bounds::RegionBounds* bounds_ = nullptr;
  std::optional<reduction::ReducedNetwork> reduced_;
  bounds::UnsafeFunctionals unsafe_;
  std::vector<double> lower_;                                  // of each functional
  std::vector<std::size_t> open_;                              // conjunctions that are not refuted
  std::vector<double> missed_by_;                              // of each conjunction, by the best proof or claim
  verdict::Evidence evidence_ = verdict::Evidence::kRigorous;  // of the bounds
  double solve_seconds_ = 0;
};

}  // namespace

MilpEngine::MilpEngine(std::shared_ptr<const bounds::BoundedNetwork> network,
                       std::shared_ptr<const attack::NetworkEvaluators> evaluators,
                       std::shared_ptr<const program::Solver> solver, MilpOptions options)
    : network_(std::move(network)),
      evaluators_(std::move(evaluators)),
      solver_(std::move(solver)),
      options_(std::move(options)) {}

verdict::Verdict MilpEngine::decide(const property::Query& query, const Limits& limits) const {
  Work work(query, limits, evaluators_);
  verdict::Verdict verdict;
  verdict.answer = verdict::Answer::kHolds;
  verdict.margin_lower = kInfinity;
  for (std::size_t part = 0; part < query.region.parts().size(); ++part) {
    PartDecision decision(network_, *solver_, options_, evaluators_, work, part);
    const Outcome outcome = decision.run();
    verdict.margin_lower = std::min(verdict.margin_lower, decision.margin_lower());
    // One witness decides. One unknown part makes the whole unknown. One claim makes the whole a claim.
    const bool weaker = outcome.answer != verdict::Answer::kHolds || outcome.evidence == verdict::Evidence::kSolver;
    const bool told = verdict.answer == verdict::Answer::kUnknown && outcome.answer != verdict::Answer::kViolated;
    if (!told && (weaker || verdict.reason.empty())) verdict.reason = outcome.reason;
    if (outcome.answer != verdict::Answer::kHolds) verdict.answer = outcome.answer;
    if (outcome.evidence == verdict::Evidence::kSolver) verdict.evidence = verdict::Evidence::kSolver;
    if (outcome.answer == verdict::Answer::kViolated) break;
  }
  if (verdict.answer == verdict::Answer::kViolated) verdict.margin_lower = -kInfinity;
  verdict.witness = std::move(work.witness);
  verdict.statistics = std::move(work.statistics);
  verdict.statistics.work = work.budget.work();
  return verdict;
}

}  // namespace plumb::milp
