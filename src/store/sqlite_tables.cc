#include "store/sqlite_tables.h"

#include <fmt/format.h>

#include "base/error.h"
#include "store/remedies.h"
#include "store/result_row.h"

namespace plumb::store {

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
  Statement rows = database.query(
      "SELECT id, started, ended, version, machine, network, data, options, heartbeat, place, process, process_started "
      "FROM run ORDER BY id");
  std::vector<RunRecord> runs;
  while (rows.step()) {
    RunRecord run{rows.integer(0),
                  rows.real(1),
                  std::nullopt,
                  rows.text(4),
                  {rows.text(3), rows.text(5), rows.text(6), rows.text(7)},
                  rows.real(8),
                  {rows.text(9), rows.integer(10), rows.integer(11)}};
    if (rows.column(2) != Value()) run.ended = rows.real(2);
    runs.push_back(std::move(run));
  }
  return runs;
}

std::int64_t add_run(Database& database, const RunRecord& run) {
  Statement added = database.query(
      "INSERT INTO run (started, heartbeat, ended, version, machine, place, process, process_started, network, data, "
      "options) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
      {run.started, run.heartbeat, run.ended ? Value(*run.ended) : Value(), run.info.version, run.machine,
       run.process.place, run.process.number, run.process.started, run.info.network, run.info.data, run.info.options});
  added.step();
  const std::int64_t id = added.integer(0);
  while (added.step()) {
  }
  return id;
}

CheckColumns check_columns(Database& database) {
  const bool exists = database.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'checked'").step();
  if (!exists) return {"NULL, NULL", ""};
  return {"checked_verdict, checked_reason",
          "LEFT JOIN (SELECT sample AS checked_sample, epsilon AS checked_epsilon, verdict AS checked_verdict, "
          "reason AS checked_reason, recorded AS checked_recorded FROM checked) "
          "ON checked_sample = sample AND checked_epsilon = epsilon AND checked_recorded = recorded"};
}

Certified certified_by(const Value& found, const std::string& verdict) {
  if (found == Value() || verdict == name_of(verdict::Answer::kUnknown)) return Certified::kNotChecked;
  return found == Value(verdict) ? Certified::kAccepted : Certified::kRejected;
}

void read_results(Database& database, const char* table, const char* where, std::initializer_list<Value> values,
                  const std::function<void(const StoredResult&)>& take) {
  const bool is_current = std::string_view(table) == "result";
  const CheckColumns check = is_current ? check_columns(database) : CheckColumns{"NULL, NULL", ""};
  Statement rows = database.query(
      fmt::format("SELECT {}, sample, epsilon, label, {}.id, {} FROM question JOIN {} USING (query) {} {} "
                  "ORDER BY sample, epsilon",
                  kResultColumns, table, check.columns, table, check.join, where),
      values);
  while (rows.step()) {
    const std::vector<Value> row = rows.row();
    const std::size_t columns = row.size() - 6;
    StoredResult result = result_of_row(std::span(row).first(columns), database.path());
    result.sample = std::get<std::int64_t>(row[columns]);
    result.epsilon = std::get<std::string>(row[columns + 1]);
    result.label = std::get<std::int64_t>(row[columns + 2]);
    result.id = std::get<std::int64_t>(row[columns + 3]);
    result.certified = certified_by(row[columns + 4], name_of(result.verdict.answer));
    if (result.certified == Certified::kRejected) result.rejected_because = std::get<std::string>(row[columns + 5]);
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

void SqliteResultTable::note_question(const StoredResult& result) {
  database_.change("INSERT OR IGNORE INTO question VALUES (?, ?, ?, ?)",
                   {result.sample, result.epsilon, result.label, result.query});
  Statement there =
      database_.query("SELECT query FROM question WHERE sample = ? AND epsilon = ?", {result.sample, result.epsilon});
  if (there.step() && there.text(0) == result.query) return;
  throw DataError(database_.path(),
                  fmt::format("sample {} at eps {} is a different question than before", result.sample, result.epsilon),
                  use_another_store());
}

std::optional<StoredResult> SqliteResultTable::find(const std::string& query) {
  Statement row = database_.query(fmt::format("SELECT {} FROM result WHERE query = ?", kResultColumns), {query});
  if (!row.step()) return std::nullopt;
  return result_of_row(row.row(), database_.path());
}

// Inserts a new row rather than updating the old one, so that the result gets a new id.
void SqliteResultTable::put(const StoredResult& result) {
  database_.change("DELETE FROM result WHERE query = ?", {result.query});
  insert("result", result);
}

void SqliteResultTable::insert(const char* table, const StoredResult& result) {
  database_.change(fmt::format("INSERT INTO {} ({}) VALUES ({})", table, kResultColumns, kResultParameters),
                   result_row(result));
}

}  // namespace plumb::store
