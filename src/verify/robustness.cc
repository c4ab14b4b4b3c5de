#include "verify/robustness.h"

#include <chrono>

#include "attack/distance.h"

namespace plumb {

std::int64_t best_other_label(std::span<const double> outputs, std::int64_t label) {
  std::int64_t best = label == 0 ? 1 : 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(outputs.size()); ++i) {
    if (i != label && outputs[static_cast<std::size_t>(i)] > outputs[static_cast<std::size_t>(best)]) best = i;
  }
  return best;
}

Decide either(Decide first, Decide second) {
  return [first = std::move(first), second = std::move(second)](const Query& query, const Limits& limits) {
    Budget budget(limits);
    Verdict verdict = first(query, limits);
    budget.charge(verdict.statistics.work);
    if (verdict.answer != Answer::kUnknown || budget.reached() != LimitReached::kNone) return verdict;
    Verdict other = second(query, {budget.seconds_left(), budget.work_left(), budget.cancel()});
    other.margin_lower = std::max(other.margin_lower, verdict.margin_lower);
    other.statistics.work += verdict.statistics.work;
    other.statistics.nodes += verdict.statistics.nodes;
    other.statistics.lps += verdict.statistics.lps;
    other.statistics.simplex_iterations += verdict.statistics.simplex_iterations;
    other.statistics.build_seconds += verdict.statistics.build_seconds;
    other.statistics.solve_seconds += verdict.statistics.solve_seconds;
    return other;
  };
}

SampleVerdict verify_sample(const Network& network, const std::shared_ptr<const NetworkEvaluators>& evaluators,
                            const RobustnessQuestion& question, const Decide& decide, const Limits& limits) {
  const auto start = std::chrono::steady_clock::now();
  const UnsafeSet unsafe = question.targets.empty()
                               ? misclassified(question.label, network.output_size())
                               : target_set(question.label, question.targets, network.output_size());
  SampleVerdict result;
  const Query as_it_is(network, Region(Box{question.sample, question.sample}), unsafe);
  if (auto witness = WitnessCheck(as_it_is, evaluators).confirm(question.sample)) {
    result.misclassified = true;
    result.verdict.answer = Answer::kViolated;
    result.verdict.reason = "misclassified";
    result.verdict.witness = std::move(witness);
  } else {
    result.verdict = decide(Query(network, question.region, unsafe), limits);
  }
  if (result.verdict.witness) {
    result.predicted = best_other_label(result.verdict.witness->outputs, question.label);
    result.distance = distance(question.norm, question.sample, result.verdict.witness->input);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace plumb
