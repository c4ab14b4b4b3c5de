// accuracy_run.h: the adversarial accuracy over many samples, in parallel, into a store.
//
// In:  a question, samples, a store that may hold results already. Out: results in the store, counts.
//
// The thread that calls is the only one that touches the store. In each turn it records what the workers have found,
// learns what other processes recorded, and claims what the workers need next, all in one transaction: one flush of the
// disk a turn, while the workers go on. A stop of any kind loses what runs, never what was recorded.
//
// Several processes may run on one store. Each goes on until every sample has its results, its own or others'.
#pragma once

#include <functional>
#include <vector>

#include "accuracy/rerun.h"
#include "accuracy/sample_work.h"
#include "accuracy/summary.h"
#include "accuracy/time_left.h"

namespace plumb::accuracy {

struct AccuracyRunOptions {
  Rerun rerun = Rerun::kLargerLimit;
  int jobs = 0;  // samples at the same time; 0: one a core
};

struct RunStatus {
  std::vector<LevelCounts> levels;
  std::int64_t samples = 0, done = 0;  // done: nothing about them is open
  std::int64_t solved_here = 0;        // by this process
  std::int64_t elsewhere = 0;          // claimed by other processes, as far as was seen
  double seconds = 0;
  double rate = 0;  // samples a second, by all processes, since this one started
  TimeLeft left;
  std::optional<std::int64_t> slowest;  // of those that run here
  double slowest_seconds = 0;
};

struct RunEnd {
  RunStatus status;  // its test errors are over all samples, even if the run was interrupted
  bool interrupted = false;
  std::vector<std::int64_t> samples;
  std::vector<std::vector<store::ResultBrief>>
      results;  // by level: one for each sample that has one, in the samples' order
};

// `samples` are distinct. `watch` is called by the calling thread some ten times a second. The question's cancel flag
// stops the run: what runs is given up, what is known is recorded. start_run() was called; end_run() is called here,
// unless an exception leaves it to the claims' end.
RunEnd run_accuracy(store::Store& store, const AccuracyQuestion& question, const std::vector<std::int64_t>& samples,
                    const AccuracyRunOptions& options, const std::function<void(const RunStatus&)>& watch);

}  // namespace plumb::accuracy
