#include "store/sqlite_new_store.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "store/schema.h"

namespace plumb::store {
namespace {

Database& migrated(Database& database) {
  migrate(database);
  return database;
}

}  // namespace

NewSqliteStore::PartFile::PartFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {
  if (std::filesystem::exists(path_))
    throw FileError(path_, "exists already", "use another " + argument("output") + ", or remove it");
  std::error_code error;
  std::filesystem::remove(part_, error);  // left by a process that was killed
}

NewSqliteStore::PartFile::~PartFile() {
  if (published_) return;
  std::error_code error;
  std::filesystem::remove(part_, error);
  std::filesystem::remove(part_ + "-journal", error);
}

void NewSqliteStore::PartFile::publish() {
  std::filesystem::rename(part_, path_);
  published_ = true;
}

NewSqliteStore::Open::Open(const std::string& path)
    : database(path, Database::Access::kCreate), transaction(migrated(database)), table(database) {}

NewSqliteStore::NewSqliteStore(std::string path) : file_(std::move(path)), open_(std::in_place, file_.path()) {}

void NewSqliteStore::write_settings(const std::vector<Setting>& settings) {
  store::write_settings(open_->database, settings);
}

std::int64_t NewSqliteStore::add_run(const RunRecord& run) { return store::add_run(open_->database, run); }

void NewSqliteStore::note_check(const StoredResult& result) {
  if (result.certified == Certified::kNotChecked) return;
  Database& database = open_->database;
  database.execute(kCheckedTable);
  const bool rejected = result.certified == Certified::kRejected;
  // Without the hash of a certificate, plumb-check does not take it for its own work.
  database.change(fmt::format("INSERT OR {} INTO checked VALUES (?, ?, ?, '', ?, '', 0, '', ?, '', '')",
                              rejected ? "REPLACE" : "IGNORE"),
                  {result.sample, result.epsilon,
                   std::string(name_of(rejected ? verdict::Answer::kUnknown : result.verdict.answer)),
                   result.rejected_because, result.recorded});
}

void NewSqliteStore::commit() {
  open_->transaction.commit();
  open_.reset();  // closes the file
  file_.publish();
}

}  // namespace plumb::store
