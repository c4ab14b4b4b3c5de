// sample_attack.h: an attack on one sample of a data set: can its label be changed?
//
// In:  a network, a sample with its label, the region around it. Out: a confirmed witness, or nothing.
//
// A sample that the network misclassifies without perturbation (in double and in float32; a tie counts as
// misclassified) is its own witness, at distance zero, if the region contains it. Then it is not attacked.
#pragma once

#include <memory>
#include <optional>

#include "attack/gradient_attack.h"
#include "property/distance.h"
#include "property/region.h"

namespace plumb::verify {

struct SampleAttack {
  bool misclassified = false;  // the unperturbed sample, whatever the region
  bool as_it_is = false;       // the witness is the sample itself
  std::optional<verdict::Witness> witness;
  // If there is a witness: the label other than the true one with the largest output there, and the distance from the
  // sample, rounded up.
  std::int64_t predicted = 0;
  double distance = 0;
  std::int64_t evaluations = 0;
  double seconds = 0;
};

// The random numbers of the attack depend on options.seed and on `number`, which distinguishes the samples.
SampleAttack attack_sample(const std::shared_ptr<const network::Network>& network,
                           const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                           const std::vector<double>& sample, std::int64_t label, const property::Region& region,
                           const property::Metric& metric, const attack::AttackOptions& options, std::int64_t number);

}  // namespace plumb::verify
