// store.h: stores the results of a data-set run so that several processes can add to them.
//
// In:  what the run asks (settings), then results as they become known. Out: the same, later, in any process.
//
// A store belongs to one question: one network, one data set, one set of epsilons. Results are keyed by the content
// hash of their query, so that the same query is recognised whatever the files are called. A sample is worked on by the
// process that claimed it. A claim ends with release(), with the end of its run, or when its process is gone.
//
// Promise: what a committed transaction recorded survives any kind of stop. A transaction that was not committed leaves
//          no trace.
// Threads: one at a time.
//
// Nothing here depends on how results are kept. Each kind of store is one implementation (store_kind.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/process_identity.h"
#include "verdict/verdict.h"

namespace plumb::store {

// Something that must be the same for all results of a store.
struct Setting {
  std::string name;      // "eps"
  std::string value;     // what is compared
  std::string shown;     // the value for people, for example a file name with the first digits of its hash
  std::string argument;  // the argument that sets it, "epsilon"; empty if there is none
};

// A process that adds results to the store.
struct RunInfo {
  std::string version;        // of Plumb
  std::string network, data;  // as they were named
  std::string options;        // JSON: how questions are decided, and with which limits
};

// A run as the store remembers it. Times are seconds since 1970.
struct RunRecord {
  std::int64_t id = 0;
  double started = 0;
  std::optional<double> ended;  // absent if it is running or was killed
  std::string machine;
  RunInfo info;
  double heartbeat = 0;  // when the run last showed that it was alive
  ProcessIdentity process = {};
};

struct StoredResult {
  std::int64_t sample = 0, label = 0;
  std::string epsilon;
  std::string query;  // content hash of the query

  bool misclassified = false;
  verdict::Verdict verdict;
  // If there is a witness: the label other than the true one with the largest output there, and the distance from the
  // sample, rounded up.
  std::int64_t predicted = 0;
  double distance = 0;
  double seconds = 0;

  std::string engine, solver;  // solver is empty if there is none
  std::optional<double> timeout;
  std::optional<std::int64_t> work_limit;
  std::string implied_by;   // the epsilon whose result implies this one without a solve; empty if it was solved
  std::optional<bool> pgd;  // whether plain PGD finds a witness; absent if it was not tried

  // Set by the store.
  std::int64_t id = 0;   // increases with every change
  std::int64_t run = 0;  // the run that recorded it
  double recorded = 0;   // seconds since 1970
};

// The part of a result that is needed to count it, without witness and layers.
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

  // Everything that is read afterwards is as it is now, even if other processes add results.
  virtual void freeze() = 0;
  virtual std::vector<Setting> settings() = 0;
  virtual std::vector<RunRecord> runs() = 0;
  // Results that were added or replaced after the result `id`, ordered by id; 0 means all results.
  virtual std::vector<ResultBrief> results_after(std::int64_t id) = 0;
  // Calls `take` for every result, with witness and layers, ordered by sample and epsilon.
  virtual void each_result(const std::function<void(const StoredResult&)>& take) = 0;
  virtual std::optional<StoredResult> result(std::int64_t sample, const std::string& epsilon) = 0;
  // Results that were replaced by better ones, and repeated solves that gained nothing; oldest first.
  virtual std::vector<StoredResult> history(std::int64_t sample, const std::string& epsilon) = 0;
  // Calls `take` for every result of the history, ordered by sample and epsilon.
  virtual void each_in_history(const std::function<void(const StoredResult&)>& take) = 0;
};

// Changes that are kept together or not at all.
class StoreTransaction {
 public:
  virtual ~StoreTransaction() = default;

  // Returns true if the sample belongs to this run afterwards: nobody had claimed it, or the claim was void.
  virtual bool claim(std::int64_t sample) = 0;
  virtual void release(std::int64_t sample) = 0;
  // Keeps the result or the stored one (better_result.h); the other one goes into the history. Returns false and keeps
  // nothing if this run does not hold the sample. Throws InternalError if the two contradict each other.
  virtual bool record(const StoredResult& result) = 0;
  virtual void commit() = 0;
};

class Store : public StoreReader {
 public:
  // Registers this process as one that adds results. Must be called once, before begin().
  virtual void start_run(const RunInfo& info) = 0;
  // When the run started, in seconds since 1970.
  virtual double started() const = 0;
  virtual std::unique_ptr<StoreTransaction> begin() = 0;
  // Releases what is still claimed.
  virtual void end_run() = 0;
};

// Opens a store for adding results; the form of `where` says of which kind it is. A store that does not exist is made,
// with these settings. Throws DataError if an existing store has other settings, naming each that differs.
std::unique_ptr<Store> open_store(const std::string& where, const std::vector<Setting>& settings);

// Opens a store for reading. Changes nothing.
std::unique_ptr<StoreReader> read_store(const std::string& where);

// How long a run may be silent before its claims are taken over. Those of a process known to be gone are void at once.
inline constexpr double kLeaseSeconds = 60;

}  // namespace plumb::store
