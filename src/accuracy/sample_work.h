// sample_work.h: one sample of a data-set run, at every epsilon that is asked about.
//
// In:  a sample, the questions about it (regions, smallest first, each inside the next), what is known already.
// Out: results, each handed over the moment it is known.
//
// Robust within a region is robust within every smaller one; a witness serves every region that it lies in, which is
// decided exactly and confirmed there again. So the middle question is solved first, and then only the side that its
// answer leaves open. What was not solved says by which epsilon it is implied.
#pragma once

#include <functional>
#include <memory>

#include "attack/gradient_attack.h"
#include "base/limits.h"
#include "data/data_set.h"
#include "store/store.h"
#include "verify/robustness.h"

namespace plumb::accuracy {

// The regions that one epsilon stands for.
struct Level {
  std::string epsilon;  // its name in the store
  std::function<property::Region(const std::vector<double>& sample)> around;
};

// What a run asks. References must outlive it; `decide` may be called by several threads at once.
struct AccuracyQuestion {
  const network::Network& network;
  const data::DataSet& data;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators;
  std::string network_hash;
  std::vector<Level> levels{};          // smallest first, each region inside the next
  std::vector<std::int64_t> targets{};  // empty: any label but the true one; else no sample's own label
  property::Norm norm = property::Norm::kLinf;

  verdict::Decide decide{};
  std::string engine{}, solver{};
  Limits limits{};
  std::optional<attack::AttackOptions> pgd{};  // also find out whether plain PGD would have found a witness
};

// By level: what is stored, and whether it is to be solved (again).
struct KnownLevel {
  std::optional<store::StoredResult> stored;
  bool open = true;
};

// Results that an interruption cut short are not handed over.
void work_on_sample(const AccuracyQuestion& question, std::int64_t sample, std::vector<KnownLevel> known,
                    const std::function<void(store::StoredResult)>& found);

}  // namespace plumb::accuracy
