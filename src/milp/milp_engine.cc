#include "milp/milp_engine.h"

#include <algorithm>

#include "base/numbers.h"
#include "bounds/summary.h"
#include "lanes/row_source.h"
#include "milp/conjunction_decision.h"

namespace plumb::milp {
namespace {

// Decides one part of the region, from its bounds to its programs.
class PartDecision {
 public:
  PartDecision(const std::shared_ptr<const bounds::BoundedNetwork>& network, const program::Solver& solver,
               const MilpOptions& options, std::shared_ptr<const attack::NetworkEvaluators> evaluators, QueryWork& work,
               std::size_t part)
      : network_(network),
        solver_(solver),
        options_(options),
        evaluators_(std::move(evaluators)),
        work_(work),
        part_{work, part, work.query.region.parts()[part]},
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
    work_.statistics.build_seconds += clock.seconds() - part_.solve_seconds;
    work_.statistics.solve_seconds += part_.solve_seconds;
    return outcome;
  }

  // In this part the unsafe set is missed by at least this much, by proofs or a solver's claims.
  double margin_lower() const {
    if (bounds_ == nullptr) return -kInfinity;
    double least = kInfinity;
    for (const double missed : part_.missed_by) least = std::min(least, missed);
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
    if (bounds_->store.region_is_empty()) return holds("the region is empty", part_.evidence);
    return holds(which, part_.evidence);
  }

  // `layers` describes the last part that was bounded; the other counts are sums over the parts.
  void count_layers() {
    if (bounds_ != nullptr) work_.statistics.count_layers(summarise(*bounds_));
  }

  bool goes_beyond_linear() const { return options_.tightening.methods.back() > bounds::BoundMethod::kLinear; }

  // Computes intervals and linear bounds, or takes those of the domain.
  void bound() {
    const bool ball_or_box =
        std::holds_alternative<property::Ball>(part_.region) || std::holds_alternative<property::Box>(part_.region);
    if (options_.domain && ball_or_box) {
      bounds_ = options_.domain.get();
      part_.evidence = uses_claims(*bounds_) ? verdict::Evidence::kSolver : verdict::Evidence::kRigorous;
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
    own_bounds_.emplace(network_, property::Region(part_.region));
    bounds_ = &*own_bounds_;
    const ElementBoundStatistics counts = compute_tight_bounds(*own_bounds_, tightening, &solver_, work_.budget);
    work_.statistics.lps += counts.lps;
    work_.statistics.nodes += counts.nodes;
    work_.statistics.simplex_iterations += counts.simplex_iterations;
    if (uses_claims(*own_bounds_)) part_.evidence = verdict::Evidence::kSolver;
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
    lanes::RowSource rows(*bounds_, unsafe_.rows, tightening.programs.most_bytes, *tightening.back_end, &work_.budget);
    exclude(rows.lower_bounds(slopes ? tightening.slope_steps : 0));
    if (rows.reduced() != nullptr) reduced_ = std::move(*rows.reduced());
  }

  // Takes better lower bounds of the functionals. Drops the conjunctions that they refute, and sorts the rest by how
  // promising they are.
  void exclude(const std::vector<double>& lower) {
    for (std::size_t row = 0; row < lower.size(); ++row) lower_[row] = std::max(lower_[row], lower[row]);
    const std::size_t before = open_.size();
    std::erase_if(open_, [&](std::size_t c) { return is_refuted(unsafe_, lower_, c); });
    work_.statistics.conjunctions_eliminated += static_cast<std::int64_t>(before - open_.size());
    part_.missed_by.resize(unsafe_.conjunctions(), -kInfinity);
    for (std::size_t c = 0; c < part_.missed_by.size(); ++c) {
      part_.missed_by[c] = std::max(part_.missed_by[c], missed_by(unsafe_, lower_, c));
    }
    std::ranges::stable_sort(open_, {}, [&](std::size_t c) { return part_.missed_by[c]; });
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
    return Encoding(network, part_.region, unsafe_, encoding_options_.ignored_coefficient);
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
    Outcome worst = holds("linear program", part_.evidence);
    for (const auto& conjunctions : questions) {
      if (const auto limit = work_.budget.reached(); limit != LimitReached::kNone) return unknown(name_of(limit));
      Encoding asked = encoding(network);
      asked.ask_margin(conjunctions);
      const Outcome outcome = decide_conjunctions(solver_, options_, part_, conjunctions, std::move(asked));
      if (outcome.answer == verdict::Answer::kViolated) return outcome;
      const bool claimed = outcome.evidence == verdict::Evidence::kSolver && worst.answer == verdict::Answer::kHolds;
      if (outcome.answer == verdict::Answer::kUnknown || claimed) worst = outcome;
    }
    return worst;
  }

  const std::shared_ptr<const bounds::BoundedNetwork>& network_;
  const program::Solver& solver_;
  const MilpOptions& options_;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators_;
  QueryWork& work_;
  PartWork part_;
  EncodingOptions encoding_options_;
  std::optional<bounds::RegionBounds> own_bounds_;
  const bounds::RegionBounds* bounds_ = nullptr;
  std::optional<reduction::ReducedNetwork> reduced_;
  bounds::UnsafeFunctionals unsafe_;
  std::vector<double> lower_;      // of each functional
  std::vector<std::size_t> open_;  // conjunctions that are not refuted
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
  QueryWork work(query, limits, evaluators_);
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
