#include "store/sqlite_reading.h"

#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>

namespace plumb::store {
namespace {

namespace fs = std::filesystem;

bool can_write_beside(const fs::path& file) {
  return access(file.c_str(), W_OK) == 0 && access(file.parent_path().c_str(), W_OK | X_OK) == 0;
}

// The name of a file that does not change, in the form of SQLite's URIs.
std::string unchanging(const fs::path& file) {
  std::string uri = "file:";
  for (const char c : file.string()) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr const char* kDigits = "0123456789abcdef";
      uri += {'%', kDigits[c >> 4], kDigits[c & 15]};
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

int open_for_reading(const std::string& path, sqlite3** handle) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);  // the log lies beside the file itself, not beside links to it
  if (error) return sqlite3_open_v2(path.c_str(), handle, SQLITE_OPEN_READONLY, nullptr);
  const fs::path log = file.string() + "-wal";
  if (!can_write_beside(file)) {
    if (fs::exists(log, error)) return sqlite3_open_v2(file.c_str(), handle, SQLITE_OPEN_READONLY, nullptr);
    return sqlite3_open_v2(unchanging(file).c_str(), handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  }
  const auto logged = fs::file_size(log, error);
  const bool has_log = !error && logged > 0;
  int code = sqlite3_open_v2(file.c_str(), handle, SQLITE_OPEN_READWRITE, nullptr);
  if (code == SQLITE_OK) code = sqlite3_db_config(*handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log ? 1 : 0, nullptr);
  if (code == SQLITE_OK) code = sqlite3_exec(*handle, "PRAGMA query_only = 1", nullptr, nullptr, nullptr);
  return code;
}

}  // namespace plumb::store
