#include "verify/sample_attack.h"

#include <chrono>

#include "property/distance.h"
#include "verify/robustness.h"
#include "verify/sample_witness.h"

namespace plumb::verify {

SampleAttack attack_sample(const std::shared_ptr<const network::Network>& network,
                           const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                           const std::vector<double>& sample, std::int64_t label, const property::Region& region,
                           const property::Metric& metric, const attack::AttackOptions& options, std::int64_t number) {
  const auto start = std::chrono::steady_clock::now();
  const property::UnsafeSet unsafe = property::misclassified(label, network->output_size());
  const property::Query query(network, region, unsafe);
  SampleAttack result;
  result.misclassified = is_misclassified(network, evaluators, sample, label);
  if (result.misclassified) result.witness = sample_as_witness(query, evaluators, sample);
  result.as_it_is = result.witness.has_value();
  if (!result.as_it_is) {
    attack::AttackOptions own = options;
    own.seed = options.seed * 0x9E3779B97F4A7C15 + static_cast<std::uint64_t>(number);
    attack::AttackResult attacked = gradient_attack(query, evaluators, own);
    result.witness = std::move(attacked.witness);
    result.evaluations = attacked.evaluations;
  }
  if (result.witness) {
    result.predicted = best_other_label(result.witness->outputs, label);
    result.distance = distance(metric, sample, result.witness->input);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace plumb::verify
