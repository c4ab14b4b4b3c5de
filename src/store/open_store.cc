// open_store.cc: checks a store file before anything is written to it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "store/remedies.h"
#include "store/schema.h"
#include "store/sqlite_store.h"
#include "store/sqlite_tables.h"

namespace plumb::store {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);

// Returns false if there is no file, or an empty one.
bool exists(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    const auto folder = std::filesystem::absolute(path).parent_path();
    if (!std::filesystem::is_directory(folder)) {
      throw FileError(path, fmt::format("there is no folder {}", folder.string()),
                      "make it, or " + use_another_store());
    }
    return false;
  }
  if (!std::filesystem::is_regular_file(status)) throw DataError(path, "is not a file", use_another_store());
  std::ifstream file(path, std::ios::binary);
  std::string start(kMagic.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (!file.is_open()) throw FileError(path, "cannot be read", "check its permissions");
  if (file.gcount() == 0) return false;
  if (start != kMagic) throw DataError(path, "is not a store", use_another_store());
  return true;
}

// The connection must be read-only, so that a damaged file stays as it is.
void check_integrity(Database& database) {
  Statement check = database.query("PRAGMA integrity_check(1)");
  check.step();
  const std::string found = check.text(0);
  if (found != "ok") {
    throw DataError(database.path(), fmt::format("the store is damaged ({}); nothing was written to it", found),
                    restore_store());
  }
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

// Suggests what to do about settings that differ. If arguments alone can put them right, it names these: "use another
// store, or epsilon 0.1 to continue".
std::string remedy(const std::vector<Setting>& stored, const std::vector<Setting>& given) {
  std::string arguments;
  for (const Setting& now : given) {
    const auto then = std::ranges::find(stored, now.name, &Setting::name);
    if (then != stored.end() && then->value == now.value) continue;
    if (then == stored.end() || then->argument.empty()) return use_another_store();
    arguments += fmt::format(" {} {}", argument(then->argument), then->value);
  }
  return fmt::format("{}, or{} to continue", use_another_store(), arguments);
}

void settle_settings(Database& database, const std::vector<Setting>& given) {
  WriteTransaction transaction(database);
  const std::vector<Setting> stored = read_settings(database);
  if (stored.empty()) {
    write_settings(database, given);
    transaction.commit();
    return;
  }
  const auto different = difference(stored, given);
  if (!different) return;
  throw DataError("", fmt::format("{} was made with {}", database.path(), *different), remedy(stored, given));
}

}  // namespace

std::optional<std::string> difference(const std::vector<Setting>& stored, const std::vector<Setting>& given) {
  std::string text;
  for (const Setting& now : given) {
    const auto then = std::ranges::find(stored, now.name, &Setting::name);
    if (then != stored.end() && then->value == now.value) continue;
    text += fmt::format("{}{} {}; this command says {}", text.empty() ? "" : "\n", now.name,
                        then == stored.end() ? "not set" : then->shown, now.shown);
  }
  if (text.empty()) return std::nullopt;
  return text;
}

namespace {

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

}  // namespace

std::unique_ptr<Store> open_store(const std::string& path, const std::vector<Setting>& settings) {
  const bool fresh = inspect(path) == 0;
  auto store = std::make_unique<SqliteStore>(path, fresh ? Database::Access::kCreate : Database::Access::kWrite);
  use_write_ahead_log(store->database());
  migrate(store->database());
  settle_settings(store->database(), settings);
  return store;
}

std::unique_ptr<StoreReader> read_store(const std::string& path) {
  if (!exists(path))
    throw FileError(path, "there is no such store", "make one as the " + argument("store") + " of plumb accuracy");
  const std::int64_t newest = static_cast<std::int64_t>(schema_steps().size());
  const std::int64_t version = inspect(path);
  if (version == 0) throw DataError(path, "is empty", "continue the run that made it, or use another store");
  if (version < newest) {
    throw DataError(path, fmt::format("is of the older store version {} (this program: {})", version, newest),
                    "continue its run once with plumb accuracy: that brings it up to date");
  }
  return std::make_unique<SqliteStore>(path, Database::Access::kRead);
}

}  // namespace plumb::store
