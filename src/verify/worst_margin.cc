#include "verify/worst_margin.h"

#include <algorithm>
#include <cmath>

#include "attack/slack.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/rounding.h"
#include "bounds/bounds.h"
#include "bounds/unsafe_functionals.h"
#include "milp/bounds_engine.h"
#include "milp/milp_engine.h"

namespace plumb::verify {
namespace {

constexpr const char* kNoPoint = "no point of the region could be evaluated";
constexpr const char* kWithinRounding = "undecided because of rounding: no remaining threshold would help";

class MarginBracket {
 public:
  MarginBracket(const std::shared_ptr<const bounds::BoundedNetwork>& network,
                std::shared_ptr<const attack::NetworkEvaluators> evaluators, const RoundedQuery& query,
                NarrowingDecide decide, const verdict::MinimiseMargin& minimise, const WorstMarginOptions& options,
                const Limits& limits)
      : network_(network),
        evaluators_(std::move(evaluators)),
        query_(query),
        inner_(query.inner()),
        anywhere_(inner_.network, inner_.region, property::UnsafeSet{{property::Conjunction{}}}),
        check_anywhere_(anywhere_, evaluators_),
        decide_(std::move(decide)),
        minimise_(minimise),
        options_(options),
        budget_(limits) {
    result_.lower = result_.rigorous_lower = -kInfinity;
    result_.upper = kInfinity;
  }

  WorstMargin run() {
    if (inner_.unsafe.conjunctions.empty()) return nothing_unsafe("nothing is unsafe");
    bound();
    if (result_.lower == kInfinity) return nothing_unsafe("the region is empty");
    if (!stopped()) attack();
    if (minimise_ && !is_done() && !stopped()) ask_minimum();
    while (!is_done() && !stopped()) {
      const std::optional<double> threshold = next_threshold();
      if (!threshold) return finished(has_point() ? kWithinRounding : kNoPoint);
      if (!ask(*threshold)) break;
    }
    return finished(is_done() ? "closed" : stop_reason_);
  }

 private:
  // The query whose unsafe points have at most this margin: for proofs, and for points.
  property::Query at_most(double threshold) const { return at_most(query_.outer(), threshold); }
  property::Query point_at_most(double threshold) const { return at_most(inner_, threshold); }
  static property::Query at_most(const property::Query& query, double threshold) {
    return {query.network, query.region, moved(query.unsafe, threshold)};
  }

  bool has_point() const { return result_.point.has_value(); }
  double allowed() const { return std::max(options_.absolute_gap, options_.gap * std::abs(result_.upper)); }
  bool closed() const { return has_point() && result_.upper - result_.lower <= allowed(); }
  // Nothing more needs to be known: the bracket is closed, or its margins are above the one known elsewhere.
  bool is_done() const { return closed() || result_.lower >= options_.reached; }

  bool stopped() {
    const LimitReached limit = budget_.reached();
    if (limit == LimitReached::kNone) return false;
    stop_reason_ = name_of(limit);
    return true;
  }

  // Half of what is left of the limits.
  Limits half_of_limits() const {
    return {budget_.seconds_left() / 2, std::max<std::int64_t>(1, budget_.work_left() / 2), budget_.cancel()};
  }

  bool is_witness(const verdict::Witness& point) const {
    attack::WitnessCheck check(inner_, evaluators_);
    if (is_image(point.part)) return check.confirm_parameters(point.part, point.parameters).has_value();
    if (!check.confirm(point.input)) return false;
    const auto meant = query_.meant_by(point.part, point.input);
    return meant && (meant->lower == meant->upper || evaluators_->exactly.proves_all_unsafe(*meant, inner_.unsafe));
  }

  WorstMargin finished(std::string reason) {
    result_.reason = std::move(reason);
    result_.violated = has_point() && is_witness(*result_.point);
    result_.exact = closed();
    return std::move(result_);
  }

  WorstMargin nothing_unsafe(const char* reason) {
    result_.lower = result_.rigorous_lower = kInfinity;
    result_.reason = reason;
    result_.exact = true;
    return std::move(result_);
  }

  // --- The upper end ---

  // The margin as evaluated: the larger of its values in double and in float32. For a point of an affine image, also at
  // the doubles nearest to the image.
  double margin_at(const verdict::Witness& point) {
    double least_slack = attack::slack(inner_.unsafe, point.input, point.outputs).value;
    const std::vector<float> in(point.input.begin(), point.input.end());
    std::vector<float> out(point.outputs.size());
    evaluators_->in_float32.evaluate(in, out, float_workspace_);
    const std::vector<double> rounded_in(in.begin(), in.end()), rounded_out(out.begin(), out.end());
    least_slack = std::min(least_slack, attack::slack(inner_.unsafe, rounded_in, rounded_out).value);
    if (const auto* image = std::get_if<property::AffineImage>(&inner_.region.parts()[point.part])) {
      const std::vector<double> unrounded = image_of(*image, point.parameters);
      std::vector<double> outputs(point.outputs.size());
      evaluators_->in_double.evaluate(unrounded, outputs, double_workspace_);
      least_slack = std::min(least_slack, attack::slack(inner_.unsafe, unrounded, outputs).value);
    }
    return -least_slack;
  }

  // The point alone, or all points that may be meant by it; nullopt if one of them may lie outside of the region.
  std::optional<property::SimpleRegion> only(const verdict::Witness& point) const {
    const auto* image = std::get_if<property::AffineImage>(&inner_.region.parts()[point.part]);
    if (image == nullptr) return query_.meant_by(point.part, point.input);
    return property::AffineImage{image->offset, image->generator, property::Box{point.parameters, point.parameters}};
  }

  // Replaces the point if this one has a smaller margin.
  bool take(verdict::Witness point) {
    double margin = margin_at(point);
    if (!(margin < result_.upper) || margin == -kInfinity) return false;
    const auto meant = only(point);
    if (!meant) return false;
    margin = std::max(margin, evaluators_->exactly.margin_at_most(*meant, inner_.unsafe));
    if (!(margin < result_.upper)) return false;
    point.slack = -margin;
    result_.upper = margin;
    result_.point = std::move(point);
    return true;
  }

  bool is_image(std::size_t part) const {
    return std::holds_alternative<property::AffineImage>(inner_.region.parts()[part]);
  }

  // Rounds the point into the region and takes it if its margin is smaller.
  bool take_near(std::size_t part, std::span<const double> variables) {
    auto point =
        is_image(part) ? check_anywhere_.confirm_parameters(part, variables) : check_anywhere_.confirm(variables);
    // A thin part may contain doubles but no numbers of the input's type.
    if (!point && !is_image(part)) point = check_anywhere_.confirm_over_reals(variables);
    return point && take(std::move(*point));
  }

  void attack() {
    // No point has such a small margin, so every descent runs to its end.
    const double unreachable = std::isfinite(result_.lower) ? result_.lower - 1 - std::abs(result_.lower) : -0x1p100;
    const property::Query deep = point_at_most(unreachable);
    const attack::AttackResult found = gradient_attack(deep, evaluators_, options_.attack, &budget_);
    if (!found.deepest.empty()) take_near(found.part, found.deepest);
    descend();
  }

  // Moves the point down in steps, which are halved where a few gradient steps do not get there.
  void descend() {
    if (!has_point()) return;
    double step = std::isfinite(result_.lower) ? 0.25 * (result_.upper - result_.lower) : std::abs(result_.upper);
    while (step > 0.25 * allowed() && !is_done() && !stopped()) {
      if (!move_below(result_.upper - step)) step /= 2;
    }
  }

  bool move_below(double threshold) { return move_below(threshold, *result_.point); }

  bool move_below(double threshold, const verdict::Witness& from) {
    const property::Query below = point_at_most(threshold);
    attack::WitnessCheck check(below, evaluators_);
    auto point = is_image(from.part) ? check.polish_parameters(from.part, from.parameters) : check.polish(from.input);
    return point && take(std::move(*point));
  }

  // Takes an engine's witness below the threshold. It lies in the outer region; if it lies outside of the inner one, a
  // point near it is taken. Returns false if the upper end is not lowered.
  bool take_found(verdict::Witness witness, double threshold) {
    if (query_.is_exact() || contains(inner_.region, witness.input)) return take(std::move(witness));
    const bool near = take_near(witness.part, witness.input);
    return move_below(threshold, witness) || near;
  }

  // --- The lower end ---

  void raise(double lower, verdict::Evidence evidence) {
    lower = std::min(lower, result_.upper);
    if (evidence == verdict::Evidence::kRigorous) result_.rigorous_lower = std::max(result_.rigorous_lower, lower);
    if (lower <= result_.lower) return;
    result_.lower = lower;
    result_.evidence = evidence;
  }

  void account(const verdict::Statistics& statistics) {
    result_.statistics += statistics;
    budget_.charge(statistics.work);
  }

  void bound() {
    const verdict::Verdict verdict =
        milp::decide_by_bounds(network_, at_most(0), milp::default_tightening(), nullptr, half_of_limits());
    account(verdict.statistics);
    raise(verdict.margin_lower, verdict.evidence);
  }

  void ask_minimum() {
    const verdict::LeastMargin least = minimise_(at_most(0), result_.upper, half_of_limits());
    account(least.statistics);
    raise(least.lower, least.evidence);
    if (least.point.empty()) return;
    take_near(least.part, least.point);
    descend();
  }

  // Returns the threshold to ask about next; nullopt if no answer could narrow the bracket.
  std::optional<double> next_threshold() const {
    const double closing = result_.upper - 0.75 * allowed();
    if (!has_point()) return decided_without_point_ ? std::nullopt : std::optional(0.0);
    // Where witnesses were found repeatedly there will be more: go ever further below, up to halfway.
    const double further = result_.upper - 0.75 * allowed() * std::pow(8, misses_);
    double threshold = std::min(closing, std::max(further, halfway_to(result_.upper)));
    if (undecided_) {
      if (*undecided_ - result_.lower <= 0.2 * allowed()) return std::nullopt;
      // After a threshold that exhausted its limits, bisect. After one that rounding left open, retreat in growing
      // steps.
      const double back = result_.upper - 4 * (result_.upper - *undecided_);
      threshold = ran_out_ ? halfway_to(*undecided_) : std::max(back, halfway_to(*undecided_));
    }
    return threshold > result_.lower ? std::optional(threshold) : std::nullopt;
  }

  double halfway_to(double end) const {
    if (std::isfinite(result_.lower)) return result_.lower + (end - result_.lower) / 2;
    return end - std::max(1.0, std::abs(result_.upper));
  }

  // Asks the engine about the threshold. Returns false if the search ends here.
  bool ask(double threshold) {
    const property::Query asked = at_most(threshold);
    ++result_.decisions;
    const Limits limits = half_of_limits();
    const double started = budget_.seconds();
    verdict::Verdict verdict = decide_(asked, threshold, limits);
    account(verdict.statistics);
    decided_without_point_ = !has_point();
    switch (verdict.answer) {
      case verdict::Answer::kHolds:
        // The verdict's margin is relative to the moved bounds, so it adds to the threshold.
        raise(std::max(threshold, sum_down(threshold, verdict.margin_lower)), verdict.evidence);
        misses_ = 0;
        return has_point() || give_up(kNoPoint);
      case verdict::Answer::kViolated:
        if (!take_found(std::move(*verdict.witness), threshold)) {
          return query_.is_exact() ? give_up("the engine's witness is not below the last point")
                                   : retreat(threshold, kWithinRounding);
        }
        undecided_.reset();
        ++misses_;
        descend();
        return true;
      case verdict::Answer::kUnknown:
        ran_out_ = budget_.seconds() - started >= limits.seconds || verdict.statistics.work >= limits.work;
        return retreat(threshold, verdict.reason);
    }
    return false;
  }

  bool give_up(std::string why) {
    stop_reason_ = std::move(why);
    return false;
  }

  // The engine could not decide the threshold: continue below it. Returns false at a limit or after too many retreats.
  bool retreat(double threshold, const std::string& reason) {
    constexpr int kMostRetreats = 40;
    if (stopped()) return false;
    undecided_ = threshold;
    return ++retreats_ <= kMostRetreats || give_up(reason);
  }

  const std::shared_ptr<const bounds::BoundedNetwork>& network_;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators_;
  const RoundedQuery& query_;
  const property::Query& inner_;    // where points lie
  const property::Query anywhere_;  // every point is unsafe: rounds points into the region and evaluates them
  attack::WitnessCheck check_anywhere_;
  NarrowingDecide decide_;
  const verdict::MinimiseMargin& minimise_;
  const WorstMarginOptions& options_;
  Budget budget_;
  network::Evaluator<double>::Workspace double_workspace_;
  network::Evaluator<float>::Workspace float_workspace_;
  std::optional<double> undecided_;  // the least threshold below the upper end that the engine could not decide
  bool ran_out_ = false;             // whether it exhausted its share of the limits there
  bool decided_without_point_ = false;
  int misses_ = 0;  // witnesses since the last proof
  int retreats_ = 0;
  std::string stop_reason_;
  WorstMargin result_;
};

}  // namespace

property::UnsafeSet moved(const property::UnsafeSet& unsafe, double by) {
  property::UnsafeSet result = unsafe;
  for (property::Conjunction& conjunction : result.conjunctions) {
    for (property::OutputInequality& inequality : conjunction) {
      inequality.bound = sum_up(inequality.bound, by);
      inequality.strict = false;
    }
  }
  return result;
}

WorstMargin worst_margin(const std::shared_ptr<const bounds::BoundedNetwork>& network,
                         std::shared_ptr<const attack::NetworkEvaluators> evaluators, const RoundedQuery& query,
                         NarrowingDecide decide, const verdict::MinimiseMargin& minimise,
                         const WorstMarginOptions& options, const Limits& limits) {
  return MarginBracket(network, std::move(evaluators), query, std::move(decide), minimise, options, limits).run();
}

}  // namespace plumb::verify
