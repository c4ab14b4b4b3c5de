// sqlite_tables.h: reads and writes the tables of an open store file.
#pragma once

#include "store/result_table.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace plumb::store {

std::vector<Setting> read_settings(Database& database);
void write_settings(Database& database, const std::vector<Setting>& settings);
std::vector<RunRecord> read_runs(Database& database);
// Adds a run under a new id, which it returns.
std::int64_t add_run(Database& database, const RunRecord& run);

// Reads rows of "result" or "history" with the samples that they are about, ordered by sample and epsilon. `where`
// selects among them; `values` are its parameters.
void read_results(Database& database, const char* table, const char* where, std::initializer_list<Value> values,
                  const std::function<void(const StoredResult&)>& take);

// plumb-check makes a table of its own when it checks a run. What it says of the rows of "result": two columns, which
// are NULL for results that were not checked, and the join that they need. Results that were recorded since are not
// checked.
struct CheckColumns {
  std::string columns, join;
};
CheckColumns check_columns(Database& database);
// Of a result with this verdict, as the store names it; `found` is the first of the two columns.
Certified certified_by(const Value& found, const std::string& verdict);

// Throws DataError if a result does not match its digest, or if a question or result lacks its counterpart.
void check_results(Database& database);

class SqliteResultTable final : public ResultTable {
 public:
  explicit SqliteResultTable(Database& database) : database_(database) {}

  void note_question(const StoredResult& result) override;
  std::optional<StoredResult> find(const std::string& query) override;
  void add_to_history(const StoredResult& result) override { insert("history", result); }
  void put(const StoredResult& result) override;

 private:
  void insert(const char* table, const StoredResult& result);

  Database& database_;
};

}  // namespace plumb::store
