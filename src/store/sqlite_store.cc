#include "store/sqlite_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "store/remedies.h"
#include "store/result_row.h"
#include "store/result_table.h"
#include "store/sqlite_tables.h"

namespace plumb::store {
namespace {

constexpr double kHeartbeatSeconds = 5;

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

void refuse_contradiction(const StoredResult& later, const StoredResult& earlier) {
  if (!contradicts(later.verdict, earlier.verdict)) return;
  throw InternalError(fmt::format("sample {}", later.sample),
                      fmt::format("at eps {} this run says {}, and the store says {}", later.epsilon,
                                  claim_text(later.verdict), claim_text(earlier.verdict)));
}

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

  bool record(const StoredResult& given) override {
    if (!owns(given.sample)) return false;
    StoredResult result = given;
    result.run = run_;
    result.recorded = now();
    table_.note_question(result);
    std::optional<StoredResult> known = table_.find(result.query);
    if (!known) {
      table_.put(result);
      return true;
    }
    refuse_contradiction(result, *known);
    if (!result.pgd) result.pgd = known->pgd;
    const bool replaces = is_as_good(result.verdict, known->verdict);
    const bool is_stored = given.run == known->run && given.recorded == known->recorded &&
                           given.verdict.answer == known->verdict.answer;  // with PGD's outcome added
    if (!is_stored) table_.add_to_history(replaces ? *known : result);
    known->pgd = result.pgd;
    table_.put(replaces && !is_stored ? result : *known);
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
  ResultTable table_;
};

std::vector<StoredResult> results_in(Database& database, const char* table, std::int64_t sample,
                                     const std::string& epsilon) {
  std::vector<StoredResult> results;
  read_results(database, table, "WHERE sample = ? AND epsilon = ?", {sample, epsilon},
               [&](const StoredResult& result) { results.push_back(result); });
  std::ranges::sort(results, {}, &StoredResult::id);
  return results;
}

}  // namespace

std::vector<Setting> read_settings(Database& database) {
  Statement rows = database.query("SELECT name, value, shown, option FROM setting ORDER BY position");
  std::vector<Setting> settings;
  while (rows.step()) settings.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3)});
  return settings;
}

void write_settings(Database& database, const std::vector<Setting>& settings) {
  std::int64_t position = 0;
  for (const Setting& setting : settings) {
    database.change("INSERT INTO setting (name, position, value, shown, option) VALUES (?, ?, ?, ?, ?)",
                    {setting.name, position++, setting.value, setting.shown, setting.argument});
  }
}

std::vector<RunRecord> read_runs(Database& database) {
  Statement rows =
      database.query("SELECT id, started, ended, version, machine, network, data, options FROM run ORDER BY id");
  std::vector<RunRecord> runs;
  while (rows.step()) {
    RunRecord run{rows.integer(0),
                  rows.real(1),
                  std::nullopt,
                  rows.text(4),
                  {rows.text(3), rows.text(5), rows.text(6), rows.text(7)}};
    if (rows.column(2) != Value()) run.ended = rows.real(2);
    runs.push_back(std::move(run));
  }
  return runs;
}

void read_results(Database& database, const char* table, const char* where, std::initializer_list<Value> values,
                  const std::function<void(const StoredResult&)>& take) {
  Statement rows =
      database.query(fmt::format("SELECT {}, sample, epsilon, label, {}.id FROM question JOIN {} USING (query) {} "
                                 "ORDER BY sample, epsilon",
                                 kResultColumns, table, table, where),
                     values);
  while (rows.step()) {
    const std::vector<Value> row = rows.row();
    const std::size_t columns = row.size() - 4;
    StoredResult result = result_of_row(std::span(row).first(columns), database.path());
    result.sample = std::get<std::int64_t>(row[columns]);
    result.epsilon = std::get<std::string>(row[columns + 1]);
    result.label = std::get<std::int64_t>(row[columns + 2]);
    result.id = std::get<std::int64_t>(row[columns + 3]);
    take(result);
  }
}

void check_results(Database& database) {
  Statement rows = database.query(fmt::format("SELECT {} FROM result", kResultColumns));
  while (rows.step()) result_of_row(rows.row(), database.path());
  if (database.query("SELECT 1 FROM question WHERE query NOT IN (SELECT query FROM result)").step() ||
      database.query("SELECT 1 FROM result WHERE query NOT IN (SELECT query FROM question)").step()) {
    throw DataError(database.path(), "the store is damaged (questions and results do not match); nothing was written",
                    restore_store());
  }
}

std::vector<ResultBrief> SqliteStore::results_after(std::int64_t id) {
  Statement rows = database_.query(
      "SELECT result.id, sample, epsilon, verdict, evidence, reason, misclassified, implied_by IS NOT NULL, pgd, "
      "seconds, recorded, nodes, timeout, work_limit FROM result JOIN question USING (query) WHERE result.id > ? "
      "ORDER BY result.id",
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

void SqliteStore::start_run(const RunInfo& info) {
  const ProcessIdentity self = this_process();
  started_ = heartbeat_ = now();
  WriteTransaction transaction(database_);
  drop_silent_claims(database_);
  Statement added = database_.query(
      "INSERT INTO run (started, heartbeat, version, machine, place, process, process_started, network, data, options) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
      {started_, started_, info.version, machine_description(), self.place, self.number, self.started, info.network,
       info.data, info.options});
  added.step();
  run_ = added.integer(0);
  while (added.step()) {
  }
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
