// sqlite_new_store.h: a new store in one SQLite file.
#pragma once

#include <optional>

#include "store/new_store.h"
#include "store/sqlite_tables.h"

namespace plumb::store {

class NewSqliteStore final : public NewStore {
 public:
  // Throws FileError if there is something at `path`.
  explicit NewSqliteStore(std::string path);

  void write_settings(const std::vector<Setting>& settings) override;
  std::int64_t add_run(const RunRecord& run) override;
  ResultTable& results() override { return open_->table; }
  void note_check(const StoredResult& result) override;
  void commit() override;

 private:
  // The file while it is not complete. Removed unless it was published.
  class PartFile {
   public:
    explicit PartFile(std::string path);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    const std::string& path() const { return part_; }
    void publish();

   private:
    std::string path_, part_;
    bool published_ = false;
  };
  struct Open {
    explicit Open(const std::string& path);

    Database database;
    WriteTransaction transaction;
    SqliteResultTable table;
  };

  PartFile file_;
  std::optional<Open> open_;
};

}  // namespace plumb::store
