#include "verify/distortion.h"

#include <algorithm>
#include <cmath>

#include "attack/slack.h"
#include "base/numbers.h"
#include "verify/linearised_step.h"
#include "verify/radius_choice.h"
#include "verify/rounded_query.h"

namespace plumb::verify {
namespace {

// A witness nearer than this share of the reach cannot be told from the sample by bounds in double.
constexpr double kSmallestShare = 0x1p-40;
// Without a domain, no radius beyond this is tried.
constexpr double kLargestRadius = 0x1p20;

class Bracket {
 public:
  Bracket(const std::shared_ptr<const network::Network>& network,
          std::shared_ptr<const attack::NetworkEvaluators> evaluators, const DistortionQuestion& question,
          NarrowingDecide decide, const verdict::MinimiseDistance& minimise, const DistortionOptions& options,
          const Limits& limits)
      : network_(network),
        evaluators_(std::move(evaluators)),
        question_(question),
        region_(question.region),
        inner_region_(question.inner ? question.inner->region : question.region),
        inner_unsafe_(question.inner ? question.inner->unsafe : question.unsafe),
        decide_(std::move(decide)),
        minimise_(minimise),
        options_(options),
        budget_(limits),
        reach_(std::min(region_.reach(), kLargestRadius)),
        radii_(reach_, options.gap) {
    result_.upper = kInfinity;
  }

  Distortion run() {
    if (unsafe_as_it_is()) {
      result_.exact = true;
      return finished("unsafe without any change");
    }
    search_witness();
    if (minimise_ && witnessed() && !closed() && !stopped()) ask_minimum();
    while (!closed() && !stopped()) {
      const std::optional<Rational> radius = witnessed() && is_tiny() ? std::nullopt : radii_.next(ends());
      if (!radius) return finished(why_no_radius());
      if (!ask(*radius)) break;
    }
    if (result_.exact) return finished(result_.reason);
    if (closed()) return finished("closed");
    return finished(stop_reason_);
  }

 private:
  property::Query query(const Rational& radius) const {
    return {network_, property::Region(region_.within(radius)), question_.unsafe};
  }
  // The same for witnesses.
  property::Query inner_query(const Rational& radius) const {
    return {network_, property::Region(inner_region_.within(radius)), inner_unsafe_};
  }

  BracketEnds ends() const { return {result_.lower, result_.upper}; }
  bool witnessed() const { return result_.upper < kInfinity; }
  bool closed() const {
    return result_.exact || (witnessed() && result_.upper - result_.lower <= options_.gap * result_.upper);
  }

  bool stopped() {
    switch (budget_.reached()) {
      case LimitReached::kNone:
        return false;
      case LimitReached::kTime:
        stop_reason_ = "time limit";
        return true;
      case LimitReached::kWork:
        stop_reason_ = "work limit";
        return true;
      case LimitReached::kCancelled:
        stop_reason_ = "interrupted";
        return true;
    }
    return true;
  }

  Limits limits_left() const { return {budget_.seconds_left(), budget_.work_left(), budget_.cancel()}; }

  Distortion finished(std::string reason) {
    result_.reason = std::move(reason);
    if (closed()) result_.exact = true;
    return std::move(result_);
  }

  bool unsafe_as_it_is() {
    const property::Query at_centre = inner_query(Rational());
    attack::WitnessCheck check(at_centre, evaluators_);
    const auto& centre = region_.centre();
    auto witness = region_.is_image() ? check.confirm_parameters(0, centre) : check.confirm(centre);
    return witness && take(std::move(*witness));
  }

  // Replaces the witness if this one is nearer.
  bool take(verdict::Witness witness) {
    const std::optional<double> away_if_meant = distance_of(witness);
    if (!away_if_meant || !(*away_if_meant < result_.upper)) return false;
    const double away = *away_if_meant;
    result_.upper = away;
    result_.witness = std::move(witness);
    return true;
  }

  // The distance of a witness. If some of its inputs stand for numbers that are not doubles, it is that of the farthest
  // point that may be meant; nullopt if not all of these points are proven to be unsafe.
  std::optional<double> distance_of(const verdict::Witness& witness) const {
    if (!question_.inner || question_.inner->nearest_inputs.empty()) return region_.distance(variables_of(witness));
    const property::SimpleRegion range = question_.inner->range;
    const auto meant = points_meant(witness.input, range, range, question_.inner->nearest_inputs);
    if (!meant || !evaluators_->exactly.proves_all_unsafe(*meant, inner_unsafe_)) return std::nullopt;
    const std::vector<double>& centre = region_.centre();
    std::vector<double> farthest = meant->lower;
    for (std::size_t i = 0; i < farthest.size(); ++i) {
      if (meant->upper[i] - centre[i] > centre[i] - meant->lower[i]) farthest[i] = meant->upper[i];
    }
    return region_.distance(farthest);
  }

  // Takes an engine's witness within the radius, or a witness near it that belongs to the inner question.
  bool take_found(verdict::Witness witness, const Rational& radius) {
    if (!question_.inner) return take(std::move(witness));
    auto inside = witness_inside(inner_query(radius), evaluators_, witness);
    return inside && take(std::move(*inside));
  }

  // --- The upper end ---

  // Looks for a witness within the radius, by a few gradient steps from the given point.
  bool move_within(const Rational& radius, std::span<const double> variables) {
    if (stopped()) return false;
    const property::Query nearer = inner_query(radius);
    attack::WitnessCheck check(nearer, evaluators_);
    auto witness = region_.is_image() ? check.polish_parameters(0, variables) : check.polish(variables);
    return witness && take(std::move(*witness));
  }

  const std::vector<double>& variables() const { return variables_of(*result_.witness); }

  bool attack(double radius) {
    const property::Query there = inner_query(property::radius_below(radius));
    auto witness = gradient_attack(there, evaluators_, options_.attack, &budget_).witness;
    return witness && take(std::move(*witness));
  }

  // Attacks at growing radii until a witness is found, then again at smaller radii. A radius is not attacked if bounds
  // prove that it contains no witness, which takes milliseconds at small radii.
  void search_witness() {
    constexpr double kFirstShare = 0x1p-8;
    const double first = region_.reach() < kInfinity ? reach_ * kFirstShare : kFirstShare;
    bool is_cheap = true;
    for (double radius = first; !witnessed() && !closed() && !stopped(); radius *= 2) {
      is_cheap = is_cheap && is_cheaply_proven(radius_up_to(std::min(radius, reach_)));
      if (!is_cheap && !witnessed()) attack(std::min(radius, reach_));
      if (radius >= reach_) break;
    }
    raise_cheaply();
    while (witnessed() && !stopped() && attack(0.9 * result_.upper)) continue;
    raise_cheaply();
    shrink();
  }

  // Raises the lower end below the witness while a little work proves it. This comes first: moving the witness takes
  // longer.
  void raise_cheaply() {
    for (const double share : kEarlyShares) {
      if (!witnessed() || stopped()) return;
      const Rational radius = property::radius_below(share * result_.upper);
      if (radius.nearest() > result_.lower && !is_cheaply_proven(radius)) return;
    }
  }

  // Moves the witness to where the nearest unsafe point would be if the network were affine, repeatedly while that
  // gains.
  void straighten() {
    constexpr int kMostSteps = 20;
    constexpr double kLeastGain = 1e-4;
    for (int step = 0; step < kMostSteps && !is_tiny() && !stopped(); ++step) {
      const double before = result_.upper;
      const verdict::Witness& from = *result_.witness;
      const std::size_t conjunction = attack::slack(inner_unsafe_, from.input, from.outputs).conjunction;
      const auto proposed = linearised_step(*network_, *evaluators_, inner_region_,
                                            inner_unsafe_.conjunctions[conjunction], variables(), result_.upper);
      if (!proposed) return;
      // Try the proposed point, with some of the gain given back because of kinks on the way. Then try points on the
      // way to it: up to the next kink they are unsafe.
      for (const double share : {0.99, 0.9, 0.5}) {
        const double to = before - share * (before - proposed->radius);
        if (to > 0 && to < before && move_within(property::radius_below(to), proposed->point)) break;
      }
      const std::vector<double> start = variables();
      for (double share = 1; result_.upper == before && share > 0.01; share /= 2) {
        std::vector<double> there = start;
        for (std::size_t i = 0; i < there.size(); ++i) there[i] += share * (proposed->point[i] - start[i]);
        const double to = std::max(region_.distance(there), before - share * (before - proposed->radius));
        if (to > 0 && to < before && move_within(property::radius_below(to), there)) break;
      }
      if (result_.upper > (1 - kLeastGain) * before) return;
    }
  }

  // Moves the witness towards the lower end in steps, which are halved where they fail.
  void shrink() {
    if (!witnessed()) return;
    straighten();
    double step = 0.25 * (result_.upper - result_.lower);
    while (step > 0.25 * options_.gap * result_.upper && !is_tiny() && !stopped()) {
      const double to = result_.upper - step;
      if (!(to > result_.lower) || !move_within(property::radius_below(to), variables())) step /= 2;
    }
  }

  bool is_tiny() const { return result_.upper <= kSmallestShare * reach_; }

  // A solver's point lies on the boundary, within the solver's tolerances. A witness lies a little further out.
  void land(const std::vector<double>& point) {
    const double away = region_.distance(point);
    if (!std::isfinite(away) || !(away > 0)) return;
    for (double more = options_.gap / 8; more < 0.01 && !stopped(); more *= 4) {
      const double radius = away * (1 + more);
      if (!(radius < result_.upper) || move_within(property::radius_below(radius), point)) return;
    }
  }

  // --- The lower end ---

  void raise(double lower, verdict::Evidence evidence) {
    if (evidence == verdict::Evidence::kRigorous) result_.rigorous_lower = std::max(result_.rigorous_lower, lower);
    if (lower <= result_.lower) return;
    result_.lower = lower;
    result_.evidence = evidence;
  }

  void ask_minimum() {
    const property::Query up_to_the_witness = query(property::radius_below(result_.upper));
    const verdict::NearestUnsafe nearest = minimise_(up_to_the_witness, region_, limits_left());
    result_.statistics += nearest.statistics;
    budget_.charge(nearest.statistics.work);
    // Nothing is known beyond the radius that was asked about.
    const double lower = std::min(nearest.lower, property::radius_below(result_.upper).round_down());
    raise(std::min(lower, result_.upper), nearest.evidence);
    if (!nearest.point.empty()) land(nearest.point);
    shrink();
  }

  // Whether a little work proves that no unsafe point lies within the radius.
  bool is_cheaply_proven(const Rational& radius) {
    constexpr std::int64_t kLittleWork = 1'000'000'000;
    constexpr double kLittleTime = 2, kShareOfTime = 0.05;  // for engines that count work differently
    Limits little = limits_left();
    little.work = std::min(little.work, kLittleWork);
    little.seconds = std::min(kLittleTime, kShareOfTime * little.seconds);
    ++result_.decisions;
    verdict::Verdict verdict = decide_(query(radius), radius.nearest(), little);
    result_.statistics += verdict.statistics;
    budget_.charge(verdict.statistics.work);
    if (verdict.answer == verdict::Answer::kViolated) take_found(std::move(*verdict.witness), radius);
    if (verdict.answer != verdict::Answer::kHolds) return false;
    raise(radius.nearest(), verdict.evidence);
    note_if_nothing_is_unsafe(radius);
    return true;
  }

  // Called after a proof at the radius. If it covers the whole reach, there is no unsafe point at all.
  void note_if_nothing_is_unsafe(const Rational& radius) {
    if (witnessed() || region_.reach() > radius.nearest()) return;
    result_.exact = true;
    result_.reason = "there is no unsafe point";
  }

  // Asks the engine about the radius. Returns false if the search ends here: at a limit, or because it gave up.
  bool ask(const Rational& radius) {
    const property::Query asked = query(radius);
    ++result_.decisions;
    verdict::Verdict verdict = decide_(asked, radius.nearest(), limits_left());
    result_.statistics += verdict.statistics;
    budget_.charge(verdict.statistics.work);
    switch (verdict.answer) {
      case verdict::Answer::kHolds:
        raise(radius.nearest(), verdict.evidence);
        radii_.proven(ends());
        note_if_nothing_is_unsafe(radius);
        return witnessed() || result_.exact || radius.nearest() < reach_ || give_up("no witness at any radius tried");
      case verdict::Answer::kViolated:
        if (!take_found(std::move(*verdict.witness), radius)) {
          if (!question_.inner) return give_up("the engine's witness is not nearer");
          stop_reason_ = "a point was found that is unsafe by less than the rounding of the property's numbers";
          return radii_.undecided(radius.nearest());
        }
        shrink();
        radii_.nearer_witness(ends());
        return true;
      case verdict::Answer::kUnknown:
        if (stopped()) return false;
        stop_reason_ = verdict.reason;
        return radii_.undecided(radius.nearest());
    }
    return false;
  }

  // An interval within a few float32 roundings (some seven digits) is explained by rounding, a wider one by the engine.
  std::string why_no_radius() const {
    constexpr double kFewRoundings = 1e-5;
    if (!witnessed()) return "larger distances: " + stop_reason_;
    if (is_tiny() || result_.upper - result_.lower <= kFewRoundings * result_.upper || stop_reason_.empty()) {
      return "no nearer witness confirmed: the difference is within rounding";
    }
    return "smaller distances: " + stop_reason_;
  }

  bool give_up(const char* why) {
    stop_reason_ = why;
    return false;
  }

  const std::shared_ptr<const network::Network>& network_;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators_;
  const DistortionQuestion& question_;
  const property::GrowingRegion& region_;
  const property::GrowingRegion& inner_region_;
  const property::UnsafeSet& inner_unsafe_;
  NarrowingDecide decide_;
  const verdict::MinimiseDistance& minimise_;
  const DistortionOptions& options_;
  Budget budget_;
  double reach_;
  RadiusChoice radii_;
  std::string stop_reason_;
  Distortion result_;
};

}  // namespace

Distortion minimum_distortion(const std::shared_ptr<const network::Network>& network,
                              std::shared_ptr<const attack::NetworkEvaluators> evaluators,
                              const DistortionQuestion& question, NarrowingDecide decide,
                              const verdict::MinimiseDistance& minimise, const DistortionOptions& options,
                              const Limits& limits) {
  return Bracket(network, std::move(evaluators), question, std::move(decide), minimise, options, limits).run();
}

}  // namespace plumb::verify
