#include "verify/distortion.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "attack/slack.h"
#include "base/numbers.h"
#include "verify/linearised_step.h"

namespace plumb::verify {
namespace {

// Witnesses nearer than this share of the reach are beyond what bounds on doubles can tell from the sample.
constexpr double kSmallestShare = 0x1p-40;
// Without a domain, no radius beyond this is tried.
constexpr double kLargestRadius = 0x1p20;

class Bracket {
 public:
  Bracket(const network::Network& network, std::shared_ptr<const attack::NetworkEvaluators> evaluators,
          const DistortionQuestion& question, NarrowingDecide decide, const verdict::MinimiseDistance& minimise,
          const DistortionOptions& options, const Limits& limits)
      : network_(network),
        evaluators_(std::move(evaluators)),
        question_(question),
        region_(question.region),
        decide_(std::move(decide)),
        minimise_(minimise),
        options_(options),
        budget_(limits),
        reach_(std::min(region_.reach(), kLargestRadius)) {
    result_.upper = kInfinity;
  }

  Distortion run() {
    if (unsafe_as_it_is()) return finished("unsafe as it is");
    search_witness();
    if (minimise_ && witnessed() && !closed() && !stopped()) ask_minimum();
    while (!closed() && !stopped()) {
      const std::optional<Rational> radius = next_radius();
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
    const property::Query at_centre = query(Rational());
    attack::WitnessCheck check(at_centre, evaluators_);
    const auto& centre = region_.centre();
    auto witness = region_.is_image() ? check.confirm_parameters(0, centre) : check.confirm(centre);
    return witness && take(std::move(*witness));
  }

  // A nearer witness takes the place of the last.
  bool take(verdict::Witness witness) {
    const double away = region_.distance(variables_of(witness));
    if (!(away < result_.upper)) return false;
    result_.upper = away;
    result_.witness = std::move(witness);
    return true;
  }

  // --- The upper end ---

  // A witness within the radius near the given one, if a few gradient steps find it.
  bool move_within(const Rational& radius, std::span<const double> variables) {
    if (stopped()) return false;
    const property::Query nearer = query(radius);
    attack::WitnessCheck check(nearer, evaluators_);
    auto witness = region_.is_image() ? check.polish_parameters(0, variables) : check.polish(variables);
    return witness && take(std::move(*witness));
  }

  const std::vector<double>& variables() const { return variables_of(*result_.witness); }

  bool attack(double radius) {
    const property::Query there = query(property::radius_below(radius));
    auto witness = gradient_attack(there, evaluators_, options_.attack, &budget_).witness;
    return witness && take(std::move(*witness));
  }

  // Grows until the attack succeeds, then lets it try nearer again. Where bounds prove that there is no witness, which
  // at small radii takes milliseconds, nothing is attacked.
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

  // Below the witness, while a little work proves it: moving the witness takes longer.
  void raise_cheaply() {
    for (const double share : kEarlyShares) {
      if (!witnessed() || stopped()) return;
      const Rational radius = property::radius_below(share * result_.upper);
      if (radius.nearest() > result_.lower && !is_cheaply_proven(radius)) return;
    }
  }

  // To where the nearest unsafe point would be if the network were affine, again and again while that gains.
  void straighten() {
    constexpr int kMostSteps = 20;
    constexpr double kLeastGain = 1e-4;
    for (int step = 0; step < kMostSteps && !is_tiny() && !stopped(); ++step) {
      const double before = result_.upper;
      const verdict::Witness& from = *result_.witness;
      const std::size_t conjunction = attack::slack(question_.unsafe, from.input, from.outputs).conjunction;
      const auto proposed = linearised_step(network_, *evaluators_, region_, question_.unsafe.conjunctions[conjunction],
                                            variables(), result_.upper);
      if (!proposed) return;
      // There at once, with some of the gain given back for kinks on the way; or towards it: up to the next kink the
      // way is unsafe.
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

  // Steps towards the lower end, halved where they fail.
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

  // A solver's point is on the boundary, within its tolerances: a witness lies a little further.
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
    // Beyond the radius that was asked about nothing is known.
    const double lower = std::min(nearest.lower, property::radius_below(result_.upper).round_down());
    raise(std::min(lower, result_.upper), nearest.evidence);
    if (!nearest.point.empty()) land(nearest.point);
    shrink();
  }

  // Whether a little work proves that nothing unsafe lies within the radius.
  bool is_cheaply_proven(const Rational& radius) {
    constexpr std::int64_t kLittleWork = 1'000'000'000;
    constexpr double kLittleTime = 2, kShareOfTime = 0.05;  // for engines whose work is counted otherwise
    Limits little = limits_left();
    little.work = std::min(little.work, kLittleWork);
    little.seconds = std::min(kLittleTime, kShareOfTime * little.seconds);
    ++result_.decisions;
    verdict::Verdict verdict = decide_(query(radius), radius.nearest(), little);
    result_.statistics += verdict.statistics;
    budget_.charge(verdict.statistics.work);
    if (verdict.answer == verdict::Answer::kViolated) take(std::move(*verdict.witness));
    if (verdict.answer != verdict::Answer::kHolds) return false;
    raise(radius.nearest(), verdict.evidence);
    note_if_nothing_is_unsafe(radius);
    return true;
  }

  // After a proof at the radius.
  void note_if_nothing_is_unsafe(const Rational& radius) {
    if (witnessed() || region_.reach() > radius.nearest()) return;
    result_.exact = true;
    result_.reason = "there is no unsafe point";
  }

  // Where to ask next; nothing if no answer there could tell more.
  std::optional<Rational> next_radius() const {
    if (!witnessed()) {
      // No attack succeeded: everything at once, or ever more of it.
      const double grown = result_.lower == 0 ? reach_ * 0x1p-4 : 4 * result_.lower;
      if (!undecided_) return radius_up_to(std::min(grown, reach_));
      const double least = undecided_->least;
      if (least - result_.lower <= kCoarse * least) return std::nullopt;
      return radius_up_to(result_.lower + (least - result_.lower) / 2);
    }
    if (is_tiny()) return std::nullopt;
    // Just below the witness, unless nearer ones were found there again and again: then ever further below.
    const double further = kClosing * options_.gap * result_.upper * std::pow(8, misses_);
    const double halfway = result_.lower + (result_.upper - result_.lower) / 2;
    const double closing = misses_ == 0 ? result_.upper - further : std::max(halfway, result_.upper - further);
    double target = closing;
    if (undecided_) {
      const std::optional<double> beside = beside_the_undecided();
      if (!beside) return std::nullopt;
      target = *beside;
    } else if (const std::optional<double> early = early_radius()) {
      target = std::min(closing, *early);
    }
    const Rational radius = property::radius_below(target);
    if (radius.nearest() <= result_.lower || radius.nearest() >= result_.upper) return std::nullopt;
    return radius;
  }

  // The next share of the witness's distance that is above what is proven already.
  std::optional<double> early_radius() const {
    for (std::size_t share = proofs_below_; share < kEarlyShares.size(); ++share) {
      const double radius = result_.upper * kEarlyShares[share];
      if (property::radius_below(radius).nearest() > result_.lower) return radius;
    }
    return std::nullopt;
  }

  // Where to ask next around radii at which the engine could not tell.
  std::optional<double> beside_the_undecided() const {
    const double gap = options_.gap * result_.upper;
    // Closer than the gap, as what is undecided is itself a part of it; closer still where that may close it.
    const double below = undecided_->least - result_.lower;
    const double close_enough = result_.upper - undecided_->least < gap ? 0.001 : 0.02;
    if (below > close_enough * gap) {
      // Away from the witness in growing steps until something is proven, then halfway.
      const double back = result_.upper - 3 * (result_.upper - undecided_->least);
      return std::max(back, result_.lower + below / 2);
    }
    // Then there may be a nearer witness above them: a dear question, and vain for an engine that finds none.
    constexpr int kMostInVain = 2;
    const double above = result_.upper - undecided_->most;
    if (above > 1.5 * kClosing * gap && vain_above_ < kMostInVain) return undecided_->most + above / 2;
    return std::nullopt;
  }

  // The smallest radius of its kind that is not below x: nothing beyond the reach may be left out.
  static Rational radius_up_to(double x) {
    const Rational below = property::radius_below(x);
    return below.nearest() >= x ? below : property::radius_below(x * (1 + 0x1p-36));
  }

  // False if the engine met a limit.
  bool ask(const Rational& radius) {
    const property::Query asked = query(radius);
    ++result_.decisions;
    verdict::Verdict verdict = decide_(asked, radius.nearest(), limits_left());
    result_.statistics += verdict.statistics;
    budget_.charge(verdict.statistics.work);
    switch (verdict.answer) {
      case verdict::Answer::kHolds:
        raise(radius.nearest(), verdict.evidence);
        ++proofs_below_;
        misses_ = 0;
        keep_undecided_between();
        note_if_nothing_is_unsafe(radius);
        return witnessed() || result_.exact || radius.nearest() < reach_ || give_up("no witness at any radius tried");
      case verdict::Answer::kViolated:
        if (!take(std::move(*verdict.witness))) return give_up("the engine's witness is not nearer");
        proofs_below_ = 0;
        ++misses_;
        shrink();
        keep_undecided_between();
        return true;
      case verdict::Answer::kUnknown:
        if (stopped()) return false;
        stop_reason_ = verdict.reason;
        return retreat(radius.nearest());
    }
    return false;
  }

  // Float32 has some seven digits; a wider interval is the engine's to explain.
  std::string why_no_radius() const {
    constexpr double kFewRoundings = 1e-5;
    if (!witnessed()) return "larger distances: " + stop_reason_;
    if (is_tiny() || result_.upper - result_.lower <= kFewRoundings * result_.upper || stop_reason_.empty()) {
      return "witness not confirmed any nearer: the rest is within rounding";
    }
    return "smaller distances: " + stop_reason_;
  }

  bool give_up(const char* why) {
    stop_reason_ = why;
    return false;
  }

  // The engine could not tell: look beside.
  bool retreat(double radius) {
    constexpr int kMostRetreats = 24;
    if (undecided_ && radius > undecided_->most) ++vain_above_;
    if (!undecided_) undecided_ = Undecided{radius, radius};
    undecided_->least = std::min(undecided_->least, radius);
    undecided_->most = std::max(undecided_->most, radius);
    return ++retreats_ <= kMostRetreats;
  }

  // An end has moved. Of the radii at which the engine could not tell, those that still lie between the two remain.
  void keep_undecided_between() {
    vain_above_ = 0;
    if (!undecided_) return;
    const auto is_between = [&](double radius) { return result_.lower < radius && radius < result_.upper; };
    if (!is_between(undecided_->least)) undecided_->least = undecided_->most;
    if (!is_between(undecided_->most)) undecided_->most = undecided_->least;
    if (!is_between(undecided_->least)) undecided_.reset();
  }

  // Proofs at these shares of the witness's distance come before the one that closes the bracket: they are cheaper, and
  // a lower end is known early.
  static constexpr std::array<double, 4> kEarlyShares{0.125, 0.3, 0.6, 0.9};
  static constexpr double kCoarse = 0.01;
  // Of the gap, how far below the witness the bracket is closed. Where the engine cannot tell so near to it, three
  // times that is still within the gap.
  static constexpr double kClosing = 0.25;

  const network::Network& network_;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators_;
  const DistortionQuestion& question_;
  const property::GrowingRegion& region_;
  NarrowingDecide decide_;
  const verdict::MinimiseDistance& minimise_;
  const DistortionOptions& options_;
  Budget budget_;
  double reach_;
  struct Undecided {
    double least, most;
  };
  std::optional<Undecided> undecided_;  // radii below the witness at which the engine could not tell
  std::size_t proofs_below_ = 0;        // since the last witness
  int misses_ = 0;                      // nearer witnesses since the last proof
  int retreats_ = 0;
  int vain_above_ = 0;  // questions above the undecided, since an end has moved
  std::string stop_reason_;
  Distortion result_;
};

}  // namespace

Distortion minimum_distortion(const network::Network& network,
                              std::shared_ptr<const attack::NetworkEvaluators> evaluators,
                              const DistortionQuestion& question, NarrowingDecide decide,
                              const verdict::MinimiseDistance& minimise, const DistortionOptions& options,
                              const Limits& limits) {
  return Bracket(network, std::move(evaluators), question, std::move(decide), minimise, options, limits).run();
}

}  // namespace plumb::verify
