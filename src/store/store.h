// store.h: stores the results of a data-set run so that several processes can add to them.
//
// In:  what the run asks (settings), then results as they become known. Out: the same, later, in any process.
//
// A store belongs to one question: one network, one data set, one set of epsilons. Results are keyed by the content
// hash of their query, so that the same query is recognised whatever the files are called. A sample is worked on by the
// process that claimed it. (A claim is a reservation here, and has nothing to do with claims of solvers or searches.)
//
// Use:     auto store = open_store(where, settings);   store->start_run(info);
//          repeatedly: auto transaction = store->begin();
//                      claim(), record(), release() on it, in any order;   transaction->commit();
//          store->end_run();
// Claims:  a run holds a sample from claim() until release(), or until its claims are void: after end_run(); at once if
//          its process is known to be gone; or after kLeaseSeconds without a sign of life. The sign is written by
//          begin() alone, at most every 5 s, and counts once that transaction is committed. So a run that holds samples
//          must begin and commit a transaction, an empty one if need be, well within kLeaseSeconds. A void claim is
//          lost when another run starts, or claims the sample; record() returns false from then on.
// Promise: what a committed transaction recorded survives any kind of stop. A transaction that was not committed leaves
//          no trace.
// Throws:  FileError if the store cannot be read or written, or is locked by others for too long; DataError if it is
//          damaged. What was committed before stays intact.
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

// Something that must be the same for all results of a store. Settings are compared by name and value.
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
  std::optional<double> ended;  // absent if it is running, or stopped without end_run()
  std::string machine;
  RunInfo info;
  double heartbeat = 0;  // when the run last showed that it was alive
  ProcessIdentity process = {};
};

// What plumb-check found about the certificate of a result (docs/certificates.md). A result whose certificate was
// rejected stays in the store as it is; whoever counts or shows it takes as_checked() of it.
enum class Certified : std::uint8_t { kNotChecked, kAccepted, kRejected };

// The result of one query: one sample at one epsilon. Each sample and epsilon has one result at a time, and a history.
struct StoredResult {
  std::int64_t sample = 0, label = 0;  // the sample's number in the data set, and its true label
  std::string epsilon;                 // as text: it is compared and sorted as such
  std::string query;                   // content hash of the query

  bool misclassified = false;
  verdict::Verdict verdict;
  // If there is a witness: the label other than the true one with the largest output there, and the distance from the
  // sample, rounded up.
  std::int64_t predicted = 0;
  double distance = 0;
  double seconds = 0;  // that the solve took

  std::string engine, solver;  // solver is empty if there is none
  std::optional<double> timeout;
  std::optional<std::int64_t> work_limit;
  std::string implied_by;   // the epsilon whose result implies this one without a solve; empty if it was solved
  std::optional<bool> pgd;  // whether plain PGD finds a witness; absent if it was not tried

  // Set by the store. A result that was read from it and is given to record() again keeps them as they are.
  std::int64_t id = 0;   // increases with every change; results of the history have ids of their own
  std::int64_t run = 0;  // the run that recorded it
  double recorded = 0;   // seconds since 1970
  Certified certified = Certified::kNotChecked;
  std::string rejected_because = {};
};

// The result, or an unknown one if its certificate was rejected: nothing is left of its proof or witness.
StoredResult as_checked(StoredResult result);

// The part of a result that is needed to count it, without witness and layers. A result whose certificate was rejected
// is unknown.
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
  Certified certified = Certified::kNotChecked;
};

// Reads see everything that is committed, and changes of this store's own transaction that is not yet committed.
class StoreReader {
 public:
  virtual ~StoreReader() = default;

  // Everything that is read afterwards is as at the first read after this call, even if other processes add results.
  // Cannot be undone: the store stays frozen as long as the object lives. Call it at most once, and not on a Store that
  // begins transactions.
  virtual void freeze() = 0;
  virtual std::vector<Setting> settings() = 0;
  // In the order in which they started.
  virtual std::vector<RunRecord> runs() = 0;
  // Results that were recorded after the result `id`, ordered by id; 0 means all results. A result that was recorded
  // again is among them even if the stored one was kept.
  virtual std::vector<ResultBrief> results_after(std::int64_t id) = 0;
  // Calls `take` for every result, with witness and layers, ordered by sample and epsilon.
  virtual void each_result(const std::function<void(const StoredResult&)>& take) = 0;
  // Returns nullopt if there is no result yet.
  virtual std::optional<StoredResult> result(std::int64_t sample, const std::string& epsilon) = 0;
  // Results that were replaced by better or later ones, and repeated solves that gained nothing, in the order in which
  // they went into the history.
  virtual std::vector<StoredResult> history(std::int64_t sample, const std::string& epsilon) = 0;
  // Calls `take` for every result of the history, ordered by sample and epsilon.
  virtual void each_in_history(const std::function<void(const StoredResult&)>& take) = 0;
};

// Changes that are kept together or not at all: if it is destroyed without commit(), none of them is. Must not outlive
// its store.
class StoreTransaction {
 public:
  virtual ~StoreTransaction() = default;

  // Returns true if the sample belongs to this run afterwards: this run held it already, nobody had claimed it, or the
  // claim was void. Returns false if another run holds it.
  virtual bool claim(std::int64_t sample) = 0;
  // Does nothing if this run does not hold the sample.
  virtual void release(std::int64_t sample) = 0;
  // Adds a result of a sample that this run holds. Returns false and keeps nothing if it does not hold the sample.
  // The first result of a query is stored. Later, the better one of the given and the stored result is stored
  // (better_result.h), with a new id, and the other one goes into the history. If the given
  // result says nothing about PGD, what the stored one says about it is kept. A result that was read from this store
  // and is given again, with PGD's outcome added, replaces itself and leaves no history.
  // Throws InternalError if the two contradict each other, DataError if the sample was asked about at this epsilon by
  // another query. The transaction must not be committed then.
  virtual bool record(const StoredResult& result) = 0;
  // Once, as the last call.
  virtual void commit() = 0;
};

class Store : public StoreReader {
 public:
  // Registers this process as one that adds results, and drops void claims. Must be called once, before begin().
  virtual void start_run(const RunInfo& info) = 0;
  // When the run started, in seconds since 1970; 0 before start_run().
  virtual double started() const = 0;
  // Begins a transaction, and writes the run's sign of life if it is due. There can be one transaction at a time; those
  // of other processes wait until it ends. Throws InternalError before start_run().
  virtual std::unique_ptr<StoreTransaction> begin() = 0;
  // Releases what is still claimed. No transaction may be open, and none may begin afterwards.
  virtual void end_run() = 0;
};

// Opens a store for adding results; the form of `where` says of which kind it is. A store that does not exist is made,
// with these settings. Throws DataError if an existing store lacks one of these settings or has another value for it,
// naming each that differs.
std::unique_ptr<Store> open_store(const std::string& where, const std::vector<Setting>& settings);

// Opens a store for reading. Changes nothing. Throws FileError if there is none, DataError if it is empty or was made
// by an older version.
std::unique_ptr<StoreReader> read_store(const std::string& where);

// How long a run may be silent before its claims are void. Those of a process known to be gone are void at once.
inline constexpr double kLeaseSeconds = 60;

}  // namespace plumb::store
