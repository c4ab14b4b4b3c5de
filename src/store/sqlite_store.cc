#include "store/sqlite_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "store/sqlite_tables.h"

namespace plumb::store {
namespace {

constexpr double kHeartbeatSeconds = 5;

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// Whether a run's claims are void: the run ended, its process is gone, or it has been silent for too long.
bool is_silent(Database& database, std::int64_t run) {
  Statement owner = database.query(
      "SELECT place, process, process_started, heartbeat FROM run WHERE id = ? AND ended IS NULL", {run});
  if (!owner.step() || owner.real(3) + kLeaseSeconds < now()) return true;
  return is_gone({owner.text(0), owner.integer(1), owner.integer(2)});
}

// Drops the claims of silent runs, also on samples that are done: a process may end between recording a result and
// releasing its sample.
void drop_silent_claims(Database& database) {
  std::vector<std::int64_t> silent;
  Statement owners = database.query("SELECT DISTINCT run FROM claim");
  while (owners.step()) {
    if (is_silent(database, owners.integer(0))) silent.push_back(owners.integer(0));
  }
  for (const std::int64_t run : silent) database.change("DELETE FROM claim WHERE run = ?", {run});
}

class SqliteTransaction final : public StoreTransaction {
 public:
  SqliteTransaction(Database& database, std::int64_t run)
      : database_(database), run_(run), writing_(database), table_(database) {}

  bool claim(std::int64_t sample) override {
    if (database_.change("INSERT OR IGNORE INTO claim VALUES (?, ?, ?)", {sample, run_, now()}) == 1) return true;
    Statement owner = database_.query("SELECT run FROM claim WHERE sample = ?", {sample});
    owner.step();
    if (owner.integer(0) == run_) return true;
    if (!is_silent(database_, owner.integer(0))) return false;
    database_.change("UPDATE claim SET run = ?, since = ? WHERE sample = ?", {run_, now(), sample});
    return true;
  }

  void release(std::int64_t sample) override {
    database_.change("DELETE FROM claim WHERE sample = ? AND run = ?", {sample, run_});
  }

  bool record(const StoredResult& result) override {
    if (!owns(result.sample)) return false;
    record_result(table_, result, run_, now());
    return true;
  }

  void commit() override { writing_.commit(); }

 private:
  bool owns(std::int64_t sample) {
    return database_.query("SELECT 1 FROM claim WHERE sample = ? AND run = ?", {sample, run_}).step();
  }

  Database& database_;
  std::int64_t run_;
  WriteTransaction writing_;
  SqliteResultTable table_;
};

std::vector<StoredResult> results_in(Database& database, const char* table, std::int64_t sample,
                                     const std::string& epsilon) {
  std::vector<StoredResult> results;
  read_results(database, table, "WHERE sample = ? AND epsilon = ?", {sample, epsilon},
               [&](const StoredResult& result) { results.push_back(result); });
  std::ranges::sort(results, {}, &StoredResult::id);
  return results;
}

// Whether a run may still write: it has not ended, and its process is not known to be gone.
bool has_open_run(Database& database) {
  Statement runs = database.query("SELECT place, process, process_started FROM run WHERE ended IS NULL");
  while (runs.step()) {
    if (!is_gone({runs.text(0), runs.integer(1), runs.integer(2)})) return true;
  }
  return false;
}

}  // namespace

// The run that wrote the log may have ended while this reader kept it from removing the log, or may have been killed.
SqliteStore::~SqliteStore() {
  if (access_ != Database::Access::kRead) return;
  try {
    if (frozen_) database_.execute("COMMIT");
    if (!has_open_run(database_)) database_.take_in_log_at_close();
  } catch (const Error&) {
    // The log stays where it is, which loses nothing.
  }
}

void SqliteStore::freeze() {
  database_.execute("BEGIN");
  frozen_ = true;
}

std::vector<Setting> SqliteStore::settings() { return read_settings(database_); }

std::vector<RunRecord> SqliteStore::runs() { return read_runs(database_); }

std::vector<ResultBrief> SqliteStore::results_after(std::int64_t id) {
  const CheckColumns check = check_columns(database_);
  Statement rows = database_.query(
      fmt::format(
          "SELECT result.id, sample, epsilon, verdict, evidence, reason, misclassified, implied_by IS NOT NULL, "
          "pgd, seconds, recorded, nodes, timeout, work_limit, {} FROM result JOIN question USING (query) {} "
          "WHERE result.id > ? ORDER BY result.id",
          check.columns, check.join),
      {id});
  std::vector<ResultBrief> briefs;
  while (rows.step()) {
    ResultBrief brief;
    brief.id = rows.integer(0);
    brief.sample = rows.integer(1);
    brief.epsilon = rows.text(2);
    const std::string verdict = rows.text(3);
    brief.answer = verdict == name_of(verdict::Answer::kHolds)      ? verdict::Answer::kHolds
                   : verdict == name_of(verdict::Answer::kViolated) ? verdict::Answer::kViolated
                                                                    : verdict::Answer::kUnknown;
    brief.evidence = rows.column(4) == Value(std::string(name_of(verdict::Evidence::kSolver)))
                         ? verdict::Evidence::kSolver
                         : verdict::Evidence::kRigorous;
    brief.reason = rows.text(5);
    brief.misclassified = rows.integer(6) != 0;
    brief.implied = rows.integer(7) != 0;
    if (rows.column(8) != Value()) brief.pgd = rows.integer(8) != 0;
    brief.seconds = rows.real(9);
    brief.recorded = rows.real(10);
    brief.nodes = rows.integer(11);
    if (rows.column(12) != Value()) brief.timeout = rows.real(12);
    if (rows.column(13) != Value()) brief.work_limit = rows.integer(13);
    brief.certified = certified_by(rows.column(14), verdict);
    if (brief.certified == Certified::kRejected) {
      brief.answer = verdict::Answer::kUnknown;
      brief.reason = "certificate rejected: " + rows.text(15);
      brief.implied = false;
    }
    briefs.push_back(std::move(brief));
  }
  return briefs;
}

std::optional<StoredResult> SqliteStore::result(std::int64_t sample, const std::string& epsilon) {
  std::vector<StoredResult> found = results_in(database_, "result", sample, epsilon);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<StoredResult> SqliteStore::history(std::int64_t sample, const std::string& epsilon) {
  return results_in(database_, "history", sample, epsilon);
}

void SqliteStore::each_result(const std::function<void(const StoredResult&)>& take) {
  read_results(database_, "result", "", {}, take);
}

void SqliteStore::each_in_history(const std::function<void(const StoredResult&)>& take) {
  read_results(database_, "history", "", {}, take);
}

void SqliteStore::start_run(const RunInfo& info) {
  started_ = heartbeat_ = now();
  WriteTransaction transaction(database_);
  drop_silent_claims(database_);
  run_ = add_run(database_, {0, started_, std::nullopt, machine_description(), info, started_, this_process()});
  transaction.commit();
}

std::unique_ptr<StoreTransaction> SqliteStore::begin() {
  if (run_ == 0) throw InternalError("store", "begin() before start_run()");
  auto transaction = std::make_unique<SqliteTransaction>(database_, run_);
  if (now() > heartbeat_ + kHeartbeatSeconds) {
    heartbeat_ = now();
    database_.change("UPDATE run SET heartbeat = ? WHERE id = ?", {heartbeat_, run_});
  }
  return transaction;
}

void SqliteStore::end_run() {
  WriteTransaction transaction(database_);
  database_.change("DELETE FROM claim WHERE run = ?", {run_});
  database_.change("UPDATE run SET ended = ?, heartbeat = ? WHERE id = ?", {now(), now(), run_});
  transaction.commit();
}

}  // namespace plumb::store
