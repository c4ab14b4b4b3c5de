// sqlite_tables.h: reads and writes the tables of an open store file. For sqlite_store.cc, open_store.cc and merge.cc.
#pragma once

#include "store/process_identity.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace plumb::store {

std::vector<Setting> read_settings(Database& database);
void write_settings(Database& database, const std::vector<Setting>& settings);
std::vector<RunRecord> read_runs(Database& database);

// Reads rows of "result" or "history" with the samples that they are about, ordered by sample and epsilon. `where`
// selects among them; `values` are its parameters.
void read_results(Database& database, const char* table, const char* where, std::initializer_list<Value> values,
                  const std::function<void(const StoredResult&)>& take);

// Throws DataError if a result does not match its digest, or if a question or result lacks its counterpart.
void check_results(Database& database);

class SqliteStore final : public Store {
 public:
  SqliteStore(std::string path, Database::Access access) : database_(std::move(path), access) {}

  Database& database() { return database_; }

  std::vector<Setting> settings() override { return read_settings(database_); }
  std::vector<RunRecord> runs() override { return read_runs(database_); }
  std::vector<ResultBrief> results_after(std::int64_t id) override;
  void each_result(const std::function<void(const StoredResult&)>& take) override;
  std::optional<StoredResult> result(std::int64_t sample, const std::string& epsilon) override;
  std::vector<StoredResult> history(std::int64_t sample, const std::string& epsilon) override;
  void start_run(const RunInfo& info) override;
  double started() const override { return started_; }
  std::unique_ptr<StoreTransaction> begin() override;
  void end_run() override;

 private:
  Database database_;
  std::int64_t run_ = 0;
  double started_ = 0, heartbeat_ = 0;
};

}  // namespace plumb::store
