// sqlite_file.cc: stores in SQLite files. A file is checked before anything is written to it.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "store/remedies.h"
#include "store/schema.h"
#include "store/settings.h"
#include "store/sqlite_new_store.h"
#include "store/sqlite_store.h"
#include "store/sqlite_tables.h"
#include "store/store_kind.h"

namespace plumb::store {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);

// Returns false if there is no file, or an empty one.
bool exists(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return false;
  if (!std::filesystem::is_regular_file(status)) throw NotAStore(path, "is not a file");
  std::ifstream file(path, std::ios::binary);
  std::string start(kMagic.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (!file.is_open()) throw FileError(path, "cannot be read", "check its permissions");
  if (file.gcount() == 0) return false;
  if (start != kMagic) throw NotAStore(path, "is not a store");
  return true;
}

// The connection must be one for reading, so that a damaged file stays as it is.
void check_integrity(Database& database) {
  Statement check = database.query("PRAGMA integrity_check(1)");
  check.step();
  const std::string found = check.text(0);
  if (found != "ok") {
    throw DataError(database.path(), fmt::format("the store is damaged ({}); nothing was written to it", found),
                    restore_store());
  }
}

void expect_folder_of(const std::string& path) {
  const auto folder = std::filesystem::absolute(path).parent_path();
  if (std::filesystem::is_directory(folder)) return;
  throw FileError(path, fmt::format("the folder {} does not exist", folder.string()),
                  "create it, or " + use_another_store());
}

// Returns the store version of the file; 0 means that there is nothing in it.
std::int64_t inspect(const std::string& path) {
  if (!exists(path)) return 0;
  Database database(path, Database::Access::kRead);
  const std::int64_t version = schema_version(database);
  if (version == 0) return 0;
  check_integrity(database);
  // Results can only be checked in tables of the newest version.
  if (version == static_cast<std::int64_t>(schema_steps().size())) check_results(database);
  return version;
}

void settle_settings(Database& database, const std::vector<Setting>& given) {
  WriteTransaction transaction(database);
  const std::vector<Setting> stored = read_settings(database);
  if (stored.empty()) {
    write_settings(database, given);
    transaction.commit();
    return;
  }
  expect_same_settings(database.path(), stored, given);
}

// Unlike for every other change, SQLite does not wait for other processes when it changes to WAL.
void use_write_ahead_log(Database& database) {
  for (int attempt = 0;; ++attempt) {
    try {
      database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      return;
    } catch (const FileError&) {
      if (attempt == 50) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

std::unique_ptr<Store> open_sqlite(const std::string& path, const std::vector<Setting>& settings) {
  expect_folder_of(path);
  const bool fresh = inspect(path) == 0;
  auto store = std::make_unique<SqliteStore>(path, fresh ? Database::Access::kCreate : Database::Access::kWrite);
  use_write_ahead_log(store->database());
  migrate(store->database());
  settle_settings(store->database(), settings);
  return store;
}

// Returns the store version of a file that is only read.
std::int64_t inspect_for_reading(const std::string& path) {
  try {
    if (exists(path)) return inspect(path);
  } catch (const NotAStore& error) {
    throw NotAStore(error.where(), error.problem(), name_a_store());
  }
  throw FileError(path, "the store does not exist", name_a_store());
}

std::unique_ptr<StoreReader> read_sqlite(const std::string& path) {
  const std::int64_t newest = static_cast<std::int64_t>(schema_steps().size());
  const std::int64_t version = inspect_for_reading(path);
  if (version == 0) throw DataError(path, "is empty", "continue the run that made it, or use another store");
  if (version < newest) {
    throw DataError(path, fmt::format("has the older store version {} (this program: {})", version, newest),
                    "continue its run once with plumb accuracy, which updates it");
  }
  return std::make_unique<SqliteStore>(path, Database::Access::kRead);
}

std::unique_ptr<NewStore> create_sqlite(const std::string& path) { return std::make_unique<NewSqliteStore>(path); }

}  // namespace

StoreKind sqlite_file() {
  return {[](const std::string&) { return true; }, open_sqlite, read_sqlite, create_sqlite};
}

}  // namespace plumb::store
