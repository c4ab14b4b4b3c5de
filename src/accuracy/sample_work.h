// sample_work.h: works on one sample of a data-set run, at every epsilon that is asked about.
//
// In:  a sample, the questions about it (regions, smallest first, each inside the next), and what is already known.
// Out: results, each handed over as soon as it is known.
//
// A sample that is robust within a region is robust within every smaller one. A witness serves every region that
// contains it; membership is decided exactly, and the witness is confirmed again for that region. So the middle
// question is solved first, and then only the side that its answer leaves open. A result that was not solved names the
// epsilon that implies it.
#pragma once

#include <functional>
#include <memory>

#include "attack/gradient_attack.h"
#include "base/limits.h"
#include "certificate/certificate.h"
#include "data/data_set.h"
#include "events/decide_heard.h"
#include "store/store.h"
#include "verify/robustness.h"

namespace plumb::accuracy {

// One epsilon and the region that it stands for around each sample.
struct Level {
  std::string epsilon;  // its name in the store
  std::function<property::Region(const std::vector<double>& sample)> around;
};

// Where the certificates of a run's answers go: one for each sample and level that is solved. An answer that another
// level implies has none of its own.
struct Certificates {
  std::filesystem::path folder;
  certificate::NetworkFile network;
  // The engine, heard by a certificate.
  std::function<verdict::Decide(events::EventSink&)> decide;
};
// "eps-0.1/sample-00007.plumb"; characters of the level's name that a file's name should not have become '_'.
std::filesystem::path certificate_name(const std::string& epsilon, std::int64_t sample);

// What a run asks. The data set must outlive it. `decide` may be called by several threads at once. Regions and engine
// are functions, as in `verify`, so that a run works with any engine (`assembly` makes both from options).
struct AccuracyQuestion {
  std::shared_ptr<const network::Network> network;
  const data::DataSet& data;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators;
  std::string network_hash;
  std::vector<Level> levels{};          // smallest first, each region inside the next
  std::vector<std::int64_t> targets{};  // empty means any label but the true one; never a sample's own label
  property::Metric metric = {};

  verdict::Decide decide{};
  std::string engine{}, solver{};
  Limits limits{};
  std::optional<attack::AttackOptions> pgd{};  // if set, also records whether plain PGD finds a witness
  std::optional<Certificates> certificates{};
};

// What is stored for one level, and whether it is to be solved (again).
struct KnownLevel {
  std::optional<store::StoredResult> stored;
  bool open = true;
};

// Calls `found` for each result. Results that an interruption cut short are not handed over.
void work_on_sample(const AccuracyQuestion& question, std::int64_t sample, std::vector<KnownLevel> known,
                    const std::function<void(store::StoredResult)>& found);

}  // namespace plumb::accuracy
