// robustness.h: can the label of one sample be changed within a region around it?
//
// In:  a network, a sample with its label, the region, an engine that decides queries. Out: a verdict on the sample.
//
// If the region contains the sample and the sample itself is unsafe (a tie counts as unsafe), the sample is the
// witness, at distance zero, and no engine is asked (sample_witness.h). Whether the sample is misclassified is reported
// separately from the verdict, because a region need not contain its sample.
#pragma once

#include <functional>
#include <memory>

#include "attack/witness_check.h"
#include "base/limits.h"
#include "property/query.h"
#include "verdict/decide.h"

namespace plumb::verify {

struct RobustnessQuestion {
  std::vector<double> sample;
  std::int64_t label = 0;
  std::vector<std::int64_t> targets;  // empty means any label but the true one
  property::Region region;
  property::Metric metric = {};  // in which distances are reported
};

struct SampleVerdict {
  bool misclassified = false;  // the unperturbed sample, whatever the region and the targets
  verdict::Verdict verdict;    // its reason is "misclassified" if the witness is the sample itself
  // If there is a witness: best_other_label() at the witness, and its distance from the sample, rounded up.
  std::int64_t predicted = 0;
  double distance = 0;
  double seconds = 0;
};

// Returns the target with the largest output; without targets, the label other than `label` with the largest output. Of
// several equal ones, returns the first.
std::int64_t best_other_label(std::span<const double> outputs, std::int64_t label,
                              std::span<const std::int64_t> targets = {});

SampleVerdict verify_sample(const std::shared_ptr<const network::Network>& network,
                            const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                            const RobustnessQuestion& question, const verdict::Decide& decide, const Limits& limits);

}  // namespace plumb::verify
