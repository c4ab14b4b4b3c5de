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

SampleVerdict verify_sample(const Network& network, const std::shared_ptr<const NetworkEvaluators>& evaluators,
                            const RobustnessQuestion& question, const Decide& decide, const Limits& limits) {
  const auto start = std::chrono::steady_clock::now();
  const UnsafeSet unsafe = adversarial_set(question.label, question.targets, network.output_size());
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
