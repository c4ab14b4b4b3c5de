#include "store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "base/error.h"
#include "store/remedies.h"
#include "store/sqlite_reading.h"

namespace plumb::store {
namespace {

constexpr int kBusyMilliseconds = 60'000;  // that a writer waits for others; a transaction takes milliseconds

int open_file(const std::string& path, Database::Access access, sqlite3** handle) {
  switch (access) {
    case Database::Access::kRead:
      return open_for_reading(path, handle);
    case Database::Access::kWrite:
      return sqlite3_open_v2(path.c_str(), handle, SQLITE_OPEN_READWRITE, nullptr);
    case Database::Access::kCreate:
      return sqlite3_open_v2(path.c_str(), handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  }
  throw InternalError("store", "invalid Access value");
}

[[noreturn]] void throw_error(const std::string& path, Database::Access access, int code, const std::string& message) {
  constexpr const char* kContinue = "free some space and run the same command again: it continues";
  switch (code & 255) {
    case SQLITE_FULL:
      throw FileError(path, "the disk is full; results stored before are intact", kContinue);
    case SQLITE_CORRUPT:
      throw DataError(path, fmt::format("the store is damaged ({}); nothing was written to it", message),
                      restore_store());
    case SQLITE_NOTADB:
      throw NotAStore(path, "is not a store");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw FileError(path, fmt::format("another program has held it for {} s", kBusyMilliseconds / 1000),
                      "close it there (a backup, an open sqlite3 shell), then continue");
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      if (access == Database::Access::kRead) {
        throw FileError(path, fmt::format("cannot be opened for reading ({})", message),
                        fmt::format("copy it, and {}-wal if that exists, to a folder where you may write", path));
      }
      throw FileError(path, fmt::format("cannot be opened for writing ({})", message),
                      "check the folder and its permissions");
    case SQLITE_IOERR:
      // The index of the write-ahead log is a file too. If it cannot grow, the disk is full.
      if (code == SQLITE_IOERR_SHMSIZE) {
        throw FileError(path, "the disk is full; results stored before are intact", kContinue);
      }
      throw FileError(path, fmt::format("cannot be read or written ({}, SQLite code {})", message, code),
                      "check the disk; results stored before are intact unless the disk lost them");
    case SQLITE_NOMEM:
      throw DataError(path, "not enough memory to read the store", "use a machine with more memory");
    default:
      throw InternalError(path, fmt::format("{} (SQLite code {})", message, code));
  }
}

}  // namespace

Statement::~Statement() {
  if (statement_ != nullptr) database_->take_back(std::move(sql_), statement_);
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), sql_(std::move(other.sql_)), statement_(std::exchange(other.statement_, nullptr)) {}

Statement& Statement::bind(std::span<const Value> values) {
  struct Binder {
    sqlite3_stmt* statement;
    int index;

    int operator()(std::monostate) const { return sqlite3_bind_null(statement, index); }
    int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement, index, value); }
    int operator()(double value) const { return sqlite3_bind_double(statement, index, value); }
    int operator()(const std::string& value) const {
      return sqlite3_bind_text64(statement, index, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    int operator()(const Blob& value) const {
      return sqlite3_bind_blob64(statement, index, value.bytes.data(), value.bytes.size(), SQLITE_TRANSIENT);
    }
  };
  int index = 0;
  for (const Value& value : values) {
    if (std::visit(Binder{statement_, ++index}, value) != SQLITE_OK) database_->fail();
  }
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  database_->fail();
}

Value Statement::column(int index) const {
  const auto bytes = [&](const void* data) {
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, index));
    return size == 0 ? std::string() : std::string(static_cast<const char*>(data), size);
  };
  switch (sqlite3_column_type(statement_, index)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement_, index)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement_, index);
    case SQLITE_TEXT:
      return bytes(sqlite3_column_text(statement_, index));
    case SQLITE_BLOB:
      return Blob{bytes(sqlite3_column_blob(statement_, index))};
    default:
      return std::monostate{};
  }
}

std::vector<Value> Statement::row() const {
  std::vector<Value> values;
  for (int c = 0; c < sqlite3_column_count(statement_); ++c) values.push_back(column(c));
  return values;
}

namespace {

template <class Type>
Type get(const Value& value, const std::string& path) {
  if (const Type* held = std::get_if<Type>(&value)) return *held;
  throw DataError(path, "the store is damaged (a number or text is of another kind); nothing was written to it",
                  restore_store());
}

}  // namespace

std::int64_t Statement::integer(int index) const { return get<std::int64_t>(column(index), database_->path()); }
double Statement::real(int index) const { return get<double>(column(index), database_->path()); }
std::string Statement::text(int index) const { return get<std::string>(column(index), database_->path()); }

Database::Database(std::string path, Access access) : path_(std::move(path)), access_(access) {
  // A relative path that begins with "file:" or ":" is a file name like any other.
  const std::string plain = path_.starts_with('/') ? path_ : "./" + path_;
  const int code = open_file(plain, access, &handle_);
  if (code != SQLITE_OK) {
    const int extended = handle_ == nullptr ? code : sqlite3_extended_errcode(handle_);
    const std::string message = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
    sqlite3_close_v2(std::exchange(handle_, nullptr));
    throw_error(path_, access_, extended, message);
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kBusyMilliseconds);
}

Database::~Database() {
  for (const auto& [sql, statement] : idle_) sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

void Database::take_in_log_at_close() { sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr); }

void Database::fail() { throw_error(path_, access_, sqlite3_extended_errcode(handle_), sqlite3_errmsg(handle_)); }

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

sqlite3_stmt* Database::prepared(const std::string& sql) {
  if (const auto idle = idle_.find(sql); idle != idle_.end()) {
    sqlite3_stmt* statement = idle->second;
    idle_.erase(idle);
    return statement;
  }
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK) fail();
  return statement;
}

void Database::take_back(std::string sql, sqlite3_stmt* statement) {
  sqlite3_reset(statement);  // reports the error of the last step again, which step() has thrown
  sqlite3_clear_bindings(statement);
  if (!idle_.try_emplace(std::move(sql), statement).second) sqlite3_finalize(statement);
}

Statement Database::query(const std::string& sql, std::initializer_list<Value> values) {
  Statement result(*this, sql, prepared(sql));
  result.bind(std::span(values.begin(), values.size()));
  return result;
}

std::int64_t Database::change(const std::string& sql, std::span<const Value> values) {
  Statement statement = query(sql);
  statement.bind(values).step();
  return sqlite3_changes64(handle_);
}

WriteTransaction::WriteTransaction(Database& database) : database_(database) { database_.change("BEGIN IMMEDIATE"); }

WriteTransaction::~WriteTransaction() {
  if (!open_) return;
  try {
    database_.change("ROLLBACK");
  } catch (const Error&) {
    // An error such as a full disk has already rolled it back.
  }
}

void WriteTransaction::commit() {
  database_.change("COMMIT");
  open_ = false;
}

}  // namespace plumb::store
