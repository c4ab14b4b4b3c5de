#include "verify/robustness.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "property/distance.h"
#include "verify/sample_witness.h"

namespace plumb::verify {

std::int64_t best_other_label(std::span<const double> outputs, std::int64_t label,
                              std::span<const std::int64_t> targets) {
  std::optional<std::int64_t> best;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(outputs.size()); ++i) {
    const bool candidate = targets.empty() ? i != label : std::ranges::find(targets, i) != targets.end();
    if (!candidate) continue;
    if (!best || outputs[static_cast<std::size_t>(i)] > outputs[static_cast<std::size_t>(*best)]) best = i;
  }
  if (!best) throw InternalError("best_other_label", "there is no other label");
  return *best;
}

SampleVerdict verify_sample(const std::shared_ptr<const network::Network>& network,
                            const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                            const RobustnessQuestion& question, const verdict::Decide& decide, const Limits& limits) {
  const auto start = std::chrono::steady_clock::now();
  const property::UnsafeSet unsafe =
      property::adversarial_set(question.label, question.targets, network->output_size());
  const property::Query query(network, question.region, unsafe);
  SampleVerdict result;
  result.misclassified = is_misclassified(network, evaluators, question.sample, question.label);
  std::optional<verdict::Witness> as_it_is;
  // A correctly classified sample is safe, whatever the targets.
  if (result.misclassified) as_it_is = sample_as_witness(query, evaluators, question.sample);
  result.verdict = as_it_is ? verdict::violated("misclassified", std::move(*as_it_is)) : decide(query, limits);
  if (result.verdict.witness) {
    result.predicted = best_other_label(result.verdict.witness->outputs, question.label, question.targets);
    result.distance = distance(question.metric, question.sample, result.verdict.witness->input);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace plumb::verify
