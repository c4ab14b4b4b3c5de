#include "verify/property.h"

#include <fmt/format.h>

#include <algorithm>

#include "attack/gradient_attack.h"
#include "base/numbers.h"
#include "network/output_activation.h"
#include "verify/rounded_query.h"

namespace plumb::verify {
namespace {

constexpr double kNothingKnown = -kInfinity;

// Seconds per query in the first round. Each later round allows ten times as many.
constexpr double kFirstRound = 0.2;

// Descents from the middle of a part and from one random point of it. They are few: the engine has attacks of its own.
constexpr attack::AttackOptions kFirstAttack{.steps = 10, .restarts = 2};

struct Part {
  std::size_t in_case = 0, part = 0;
  double margin = kNothingKnown;
};

Limits not_counting(Limits limits, const double& seconds) {
  limits.not_counted = &seconds;
  return limits;
}

class PropertyDecision {
 public:
  PropertyDecision(const std::shared_ptr<const network::Network>& network,
                   const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                   const vnnlib::VnnlibProperty& property, const verdict::Decide& decide, const Limits& limits)
      : network_(network),
        evaluators_(evaluators),
        property_(property),
        decide_(decide),
        limits_(not_counting(limits, audited_)),
        budget_(limits_) {
    for (std::size_t c = 0; c < property_.cases.size(); ++c) {
      for (std::size_t p = 0; p < property_.cases[c].region.parts().size(); ++p) open_.push_back({c, p});
    }
    result_.queries = static_cast<std::int64_t>(open_.size());
    result_.verdict = verdict::holds("no input satisfies the assertions", kInfinity);
  }

  PropertyVerdict run() {
    double seconds = open_.size() > 1 ? kFirstRound : kInfinity;
    if (attack_all(kFirstAttack, 0.1)) return finish();
    while (!open_.empty() && budget_.reached() == LimitReached::kNone && !round(seconds)) seconds *= 10;
    if (result_.verdict.answer != verdict::Answer::kViolated && result_.decided != result_.queries) conclude_unknown();
    return finish();
  }

  PropertyVerdict run_attack(const attack::AttackOptions& options) {
    if (!attack_all(options, 1) && !open_.empty()) {
      const LimitReached limit = budget_.reached();
      result_.verdict =
          verdict::unknown(limit == LimitReached::kNone ? "no witness found" : name_of(limit), kNothingKnown);
    }
    return finish();
  }

 private:
  PropertyVerdict finish() {
    result_.limit = budget_.reached();
    result_.verdict.statistics = std::move(total_);
    result_.seconds = budget_.seconds();
    return std::move(result_);
  }

  // Attacks every part, within a share of the time. In front of an engine this takes a few descents before anything is
  // bounded: bounds of large networks take long, and a property that is easily violated does not need them.
  bool attack_all(const attack::AttackOptions& options, double share_of_time) {
    for (const Part& part : open_) {
      if (budget_.reached() != LimitReached::kNone || budget_.seconds() > share_of_time * limits_.seconds) return false;
      const vnnlib::PropertyCase& of = property_.cases[part.in_case];
      const property::Query inner(network_, property::Region(of.inner_region.parts()[part.part]), of.inner_unsafe);
      attack::AttackResult attack = gradient_attack(inner, evaluators_, options, &budget_);
      result_.evaluations += attack.evaluations;
      if (!attack.witness || !stands(part, inner, *attack.witness)) continue;
      result_.verdict = verdict::violated("attack", std::move(*attack.witness));
      return true;
    }
    return false;
  }

  // Decides one open query after the other, each for at most this long. Returns true if a witness was found.
  bool round(double seconds) {
    std::vector<Part> left;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (budget_.reached() != LimitReached::kNone) {
        left.insert(left.end(), open_.begin() + static_cast<std::ptrdiff_t>(i), open_.end());
        break;
      }
      if (decide_part(open_[i], seconds, left)) return true;
    }
    // Those nearest to a proof come first.
    std::ranges::stable_sort(left, std::ranges::greater(), &Part::margin);
    open_ = std::move(left);
    return false;
  }

  bool decide_part(Part part, double seconds, std::vector<Part>& left) {
    const vnnlib::PropertyCase& of = property_.cases[part.in_case];
    const property::Query query(network_, property::Region(of.region.parts()[part.part]), of.unsafe);
    Limits limits = limits_;
    limits.seconds = std::min(seconds, budget_.seconds_left());
    limits.work = budget_.work_left();
    const double before = budget_.seconds();
    verdict::Verdict verdict = decide_(query, limits);
    if (verdict.statistics.audit) audited_ += verdict.statistics.audit->seconds;
    const bool out_of_time = budget_.seconds() - before >= limits.seconds || budget_.reached() != LimitReached::kNone;
    budget_.charge(verdict.statistics.work);
    total_ += verdict.statistics;
    if (verdict.answer == verdict::Answer::kViolated && !confirm(part, verdict) && !found_inside(part, verdict)) {
      undecided_ = "a point was found that is unsafe by less than the rounding of the property's numbers";
      result_.verdict.margin_lower = kNothingKnown;
      return false;
    }
    switch (verdict.answer) {
      case verdict::Answer::kViolated:
        result_.verdict = std::move(verdict);
        return true;
      case verdict::Answer::kHolds:
        note_holds(verdict);
        return false;
      case verdict::Answer::kUnknown:
        break;
    }
    reason_ = verdict.reason;
    part.margin = verdict.margin_lower;
    if (out_of_time) {
      left.push_back(part);
    } else {
      undecided_ = verdict.reason;  // more time would not help
      result_.verdict.margin_lower = std::min(result_.verdict.margin_lower, verdict.margin_lower);
    }
    return false;
  }

  void note_holds(const verdict::Verdict& verdict) {
    ++result_.decided;
    verdict::Verdict& whole = result_.verdict;
    // The reason of the last part proven, which was open longest.
    whole.reason = verdict.reason;
    if (verdict.evidence == verdict::Evidence::kSolver) whole.evidence = verdict::Evidence::kSolver;
    whole.margin_lower = std::min(whole.margin_lower, verdict.margin_lower);
  }

  // Replaces the witness by one that satisfies the property exactly. Returns false if there is none.
  bool confirm(const Part& part, verdict::Verdict& verdict) const {
    const vnnlib::PropertyCase& of = property_.cases[part.in_case];
    const property::Query inner(network_, property::Region(of.inner_region.parts()[part.part]), of.inner_unsafe);
    verdict.witness = witness_inside(inner, evaluators_, *verdict.witness);
    return verdict.witness.has_value() && stands(part, inner, *verdict.witness);
  }

  // The engine's witness lies in the region that is rounded outward, perhaps at its edge. The region that is rounded
  // inward usually contains another one, so the engine is asked about that region.
  bool found_inside(const Part& part, verdict::Verdict& verdict) {
    const vnnlib::PropertyCase& of = property_.cases[part.in_case];
    const property::Query inner(network_, property::Region(of.inner_region.parts()[part.part]), of.inner_unsafe);
    Limits limits = limits_;
    limits.seconds = budget_.seconds_left();
    limits.work = budget_.work_left();
    verdict::Verdict inside = decide_(inner, limits);
    if (inside.statistics.audit) audited_ += inside.statistics.audit->seconds;
    budget_.charge(inside.statistics.work);
    total_ += inside.statistics;
    if (inside.answer != verdict::Answer::kViolated || !stands(part, inner, *inside.witness)) return false;
    verdict.witness = std::move(inside.witness);
    return true;
  }

  // Whether the witness of the inner query is also one of the property itself.
  bool stands(const Part& part, const property::Query& inner, const verdict::Witness& witness) const {
    const vnnlib::PropertyCase& of = property_.cases[part.in_case];
    return is_one_of_real_inputs(of, part.part, inner, witness) && survives_last_operation(of, witness);
  }

  // For some inputs the witness has the double nearest to the number that the property names. That number lies between
  // the sides of the region rounded outward, so the inequalities on inputs and the unsafe set must be satisfied for all
  // values between them.
  bool is_one_of_real_inputs(const vnnlib::PropertyCase& of, std::size_t part, const property::Query& inner,
                             const verdict::Witness& witness) const {
    if (of.nearest_inputs[part].empty()) return true;
    const auto meant =
        points_meant(witness.input, of.region.parts()[part], inner.region.parts()[0], of.nearest_inputs[part]);
    if (!meant) return false;
    // A witness that is not proven is unsafe by far more than the last bits of its input can change.
    return witness.evidence == verdict::WitnessEvidence::kFloatOnly ||
           evaluators_->exactly.proves_all_unsafe(*meant, inner.unsafe);
  }

  // A softmax or sigmoid at the end was dropped because it keeps the order of the outputs. In float32, however, it
  // makes large outputs equal: a strict inequality satisfied before it may not be satisfied by what another program
  // computes.
  bool survives_last_operation(const vnnlib::PropertyCase& of, const verdict::Witness& witness) const {
    if (!has_dropped_activation(*network_)) return true;
    std::vector<double> outputs = with_dropped_activations(*network_, witness.outputs);
    for (double& y : outputs) y = static_cast<double>(static_cast<float>(y));
    return is_unsafe(of.inner_unsafe, witness.input, outputs);
  }

  void conclude_unknown() {
    const bool limit = budget_.reached() != LimitReached::kNone;
    std::string reason = limit && !reason_.empty() ? reason_ : !undecided_.empty() ? undecided_ : reason_;
    if (reason.empty()) reason = "time limit";
    if (result_.queries > 1) {
      reason += fmt::format(" ({} of {} parts hold)", result_.decided, result_.queries);
    }
    double margin = result_.verdict.margin_lower;
    for (const Part& part : open_) margin = std::min(margin, part.margin);
    result_.verdict = verdict::unknown(std::move(reason), margin);
  }

  const std::shared_ptr<const network::Network>& network_;
  const std::shared_ptr<const attack::NetworkEvaluators>& evaluators_;
  const vnnlib::VnnlibProperty& property_;
  const verdict::Decide& decide_;
  double audited_ = 0;  // seconds spent on audits, which do not count towards the limits
  Limits limits_;
  Budget budget_;
  std::vector<Part> open_;
  std::string reason_;     // reason of the last query that ran out of time
  std::string undecided_;  // reason of a query that stays unknown
  verdict::Statistics total_;
  PropertyVerdict result_;
};

}  // namespace

PropertyVerdict verify_property(const std::shared_ptr<const network::Network>& network,
                                const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                                const vnnlib::VnnlibProperty& property, const verdict::Decide& decide,
                                const Limits& limits) {
  return PropertyDecision(network, evaluators, property, decide, limits).run();
}

PropertyVerdict attack_property(const std::shared_ptr<const network::Network>& network,
                                const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                                const vnnlib::VnnlibProperty& property, const attack::AttackOptions& options,
                                const Limits& limits) {
  const verdict::Decide none;
  return PropertyDecision(network, evaluators, property, none, limits).run_attack(options);
}

}  // namespace plumb::verify
