// accuracy_run.h: computes the adversarial accuracy over many samples, in parallel, and stores the results.
//
// In:  a question, samples, and a store that may already hold results. Out: results in the store, counts.
//
// The calling thread is the only one that touches the store. In each turn it records what the workers have found,
// learns what other processes recorded, and claims what the workers need next. A turn is one transaction, so it flushes
// the disk once, while the workers go on. A stop of any kind loses unfinished work, but never recorded results.
//
// Several processes may run on one store. Each continues until every sample has its results, its own or those of
// others.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "accuracy/rerun.h"
#include "accuracy/sample_work.h"
#include "accuracy/summary.h"
#include "accuracy/time_left.h"

namespace plumb::accuracy {

struct AccuracyRunOptions {
  Rerun rerun = Rerun::kLargerLimit;
  int jobs = 0;  // samples solved at the same time; 0 means one per core
};

struct RunStatus {
  std::vector<LevelCounts> levels;
  std::int64_t samples = 0, done = 0;  // done: samples about which nothing is open
  std::int64_t solved_here = 0;        // results solved by this process
  std::int64_t elsewhere = 0;          // samples claimed by other processes, as far as is known
  double seconds = 0;
  double rate = 0;  // samples per second, by all processes, since this one started
  TimeLeft left;
  std::optional<std::int64_t> slowest;  // of the samples that this process works on
  double slowest_seconds = 0;
};

struct RunEnd {
  RunStatus status;  // its test errors are over all samples, even if the run was interrupted
  bool interrupted = false;
  std::vector<std::int64_t> samples;
  // By level: the results of all samples that have one, in the order of `samples`.
  std::vector<std::vector<store::ResultBrief>> results;
};

// `samples` must be distinct. The calling thread calls `watch` about ten times per second. The question's cancel flag
// stops the run: running work is given up, known results are recorded. The caller must have called start_run(). This
// function calls end_run(), unless it throws; then the claims become void when the process is gone.
RunEnd run_accuracy(store::Store& store, const AccuracyQuestion& question, const std::vector<std::int64_t>& samples,
                    const AccuracyRunOptions& options, const std::function<void(const RunStatus&)>& watch);

}  // namespace plumb::accuracy
