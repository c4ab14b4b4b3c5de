// sqlite_store.h: a store in one SQLite file.
//
// The file is in WAL mode: readers do not wait for writers, and a commit appends to a log. Commits are synchronous
// (synchronous=FULL): when commit() returns, the result is on the disk. One commit costs one flush of the disk, so
// several results should be recorded in one transaction.
//
// Opening (sqlite_file.cc) checks before it writes. The file must be a store of a version that this program knows, it
// must pass SQLite's integrity check, and every result must match its digest. Otherwise nothing is written, not even a
// recovered log.
#pragma once

#include "store/sqlite.h"
#include "store/store.h"

namespace plumb::store {

class SqliteStore final : public Store {
 public:
  SqliteStore(std::string path, Database::Access access) : database_(std::move(path), access), access_(access) {}
  ~SqliteStore() override;

  Database& database() { return database_; }

  void freeze() override;
  std::vector<Setting> settings() override;
  std::vector<RunRecord> runs() override;
  std::vector<ResultBrief> results_after(std::int64_t id) override;
  void each_result(const std::function<void(const StoredResult&)>& take) override;
  std::optional<StoredResult> result(std::int64_t sample, const std::string& epsilon) override;
  std::vector<StoredResult> history(std::int64_t sample, const std::string& epsilon) override;
  void each_in_history(const std::function<void(const StoredResult&)>& take) override;
  void start_run(const RunInfo& info) override;
  double started() const override { return started_; }
  std::unique_ptr<StoreTransaction> begin() override;
  void end_run() override;

 private:
  Database database_;
  Database::Access access_;
  bool frozen_ = false;
  std::int64_t run_ = 0;
  double started_ = 0, heartbeat_ = 0;
};

}  // namespace plumb::store
