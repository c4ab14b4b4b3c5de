// store.h: the results of a data-set run, kept where several processes can add to them.
//
// In:  what the run asks (settings), then results as they become known. Out: the same, later, in any process.
//
// A store belongs to one question: one network, one data set, one set of epsilons. Results are keyed by the content
// hash of their query, so that the same question is recognised whatever the files are called. A sample is worked on by
// the process that claimed it; a claim ends with its result, with release(), or when its process is gone.
//
// Promise: what a committed transaction recorded is there after any kind of stop. What was not committed leaves no
//          trace.
// The interface names no database: an implementation on a server would stand beside sqlite_store.h.
// Threads: one at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace plumb::store {

// Something that must stay as it is while results are added.
struct Setting {
  std::string name;    // "eps"
  std::string value;   // what is compared
  std::string shown;   // the value for people: a file's name with the first digits of its hash
  std::string option;  // that sets it on the command line, "--eps"; empty if no text would
};

// One process that adds to the store.
struct RunInfo {
  std::string version;        // of Plumb
  std::string network, data;  // as they were called
  std::string options;        // JSON: how questions are decided, and with which limits
};

// The same, as the store remembers it. Times are seconds since 1970.
struct RunRecord {
  std::int64_t id = 0;
  double started = 0;
  std::optional<double> ended;  // nothing: it runs, or was killed
  std::string machine;
  RunInfo info;
};

struct StoredResult {
  std::int64_t sample = 0, label = 0;
  std::string epsilon;
  std::string query;  // its content hash

  bool misclassified = false;
  verdict::Verdict verdict;
  // With a witness: the best label other than the true one there, and the distance from the sample, rounded up.
  std::int64_t predicted = 0;
  double distance = 0;
  double seconds = 0;

  std::string engine, solver;  // no solver: empty
  std::optional<double> timeout;
  std::optional<std::int64_t> work_limit;
  std::string implied_by;   // the epsilon whose result gave this one without a solve; empty if it was solved
  std::optional<bool> pgd;  // whether plain PGD finds a witness; nothing if it was not tried

  // Given by the store.
  std::int64_t id = 0;   // grows with every change
  std::int64_t run = 0;  // that recorded it
  double recorded = 0;   // seconds since 1970
};

// What is needed of a result to count it: no witness, no layers.
struct ResultBrief {
  std::int64_t id = 0, sample = 0;
  std::string epsilon;
  verdict::Answer answer = verdict::Answer::kUnknown;
  verdict::Evidence evidence = verdict::Evidence::kRigorous;
  std::string reason;
  bool misclassified = false, implied = false;
  std::optional<bool> pgd;
  double seconds = 0, recorded = 0;
  std::int64_t nodes = 0;
  std::optional<double> timeout;
  std::optional<std::int64_t> work_limit;
};

class StoreReader {
 public:
  virtual ~StoreReader() = default;

  virtual std::vector<Setting> settings() = 0;
  virtual std::vector<RunRecord> runs() = 0;
  // Results that were added or replaced after the result `id`; all of them for 0. By id.
  virtual std::vector<ResultBrief> results_after(std::int64_t id) = 0;
  // Every result, with witness and layers, by sample and epsilon.
  virtual void each_result(const std::function<void(const StoredResult&)>& take) = 0;
  virtual std::optional<StoredResult> result(std::int64_t sample, const std::string& epsilon) = 0;
  // Results that better ones replaced, and repeated solves that gained nothing; oldest first.
  virtual std::vector<StoredResult> history(std::int64_t sample, const std::string& epsilon) = 0;
};

// Changes that are kept together or not at all.
class StoreTransaction {
 public:
  virtual ~StoreTransaction() = default;

  // True if the sample is now this run's: nobody had it, or whoever had it is gone.
  virtual bool claim(std::int64_t sample) = 0;
  virtual void release(std::int64_t sample) = 0;
  // Keeps the result if it is the first, or at least as good as what is there (a proof or witness before a solver's
  // claim before unknown), and the other one in the history. False, and nothing is kept, if the sample is no longer
  // this run's. Throws InternalError if it contradicts a proof: both cannot be right.
  virtual bool record(const StoredResult& result) = 0;
  virtual void commit() = 0;
};

class Store : public StoreReader {
 public:
  // Makes this process one of those that add results. Once, before begin().
  virtual void start_run(const RunInfo& info) = 0;
  // When the run started, in seconds since 1970.
  virtual double started() const = 0;
  virtual std::unique_ptr<StoreTransaction> begin() = 0;
  // Gives back what is still claimed.
  virtual void end_run() = 0;
};

// The first line names every setting that differs; nothing if there is none.
std::optional<std::string> difference(const std::vector<Setting>& stored, const std::vector<Setting>& given);

}  // namespace plumb::store
