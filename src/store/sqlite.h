// sqlite.h: the SQLite library with C++ lifetimes and Plumb's errors.
//
// In:  SQL and values. Out: values.
//
// An error of SQLite becomes an Error that says what happened to the file and what to do. A full disk and a file that
// cannot be written are FileErrors; a file that is damaged or not a database is a DataError. After either, what was
// committed before is intact, because SQLite rolls back the transaction that failed.
//
// Threads: a Database and its Statements belong to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace plumb::store {

struct Blob {
  std::string bytes;

  bool operator==(const Blob&) const = default;
};

using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;  // std::monostate is NULL

// Must not outlive its Database.
class Statement {
 public:
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& operator=(Statement&&) = delete;

  // Binds the values to the parameters of the statement, in order.
  Statement& bind(std::span<const Value> values);
  // Returns true if there is a row.
  bool step();

  // Columns are counted from 0.
  Value column(int index) const;
  std::vector<Value> row() const;
  // These throw DataError if the column has another type: the store is damaged, or was not written by Plumb.
  std::int64_t integer(int index) const;
  double real(int index) const;
  std::string text(int index) const;

 private:
  friend class Database;
  Statement(class Database& database, std::string sql, sqlite3_stmt* statement)
      : database_(&database), sql_(std::move(sql)), statement_(statement) {}

  class Database* database_;
  std::string sql_;
  sqlite3_stmt* statement_;
};

class Database {
 public:
  // kRead refuses every change, and leaves nothing beside the file that was not there before (sqlite_reading.h).
  enum class Access { kRead, kWrite, kCreate };

  Database(std::string path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }

  // Runs one or several statements and discards their rows.
  void execute(const std::string& sql);
  Statement query(const std::string& sql, std::initializer_list<Value> values = {});
  // Runs one statement that returns no rows. Returns how many rows it changed.
  std::int64_t change(const std::string& sql, std::span<const Value> values);
  std::int64_t change(const std::string& sql, std::initializer_list<Value> values = {}) {
    return change(sql, std::span(values.begin(), values.size()));
  }

  // For kRead: the log beside the file belongs to nobody else. If nobody else has the file open when this connection is
  // closed, the log goes into the file and is removed, as at the end of a run.
  void take_in_log_at_close();

  // Throws the Error that corresponds to the library's last error.
  [[noreturn]] void fail();

 private:
  friend class Statement;
  sqlite3_stmt* prepared(const std::string& sql);
  void take_back(std::string sql, sqlite3_stmt* statement);

  std::string path_;
  Access access_;
  sqlite3* handle_ = nullptr;
  // Prepared statements that are not in use, by their text. Preparing takes longer than running most of them.
  std::unordered_map<std::string, sqlite3_stmt*> idle_;
};

// Changes made while it exists are kept by commit(), or not at all. Other writers wait for its end.
class WriteTransaction {
 public:
  explicit WriteTransaction(Database& database);
  ~WriteTransaction();
  WriteTransaction(const WriteTransaction&) = delete;
  WriteTransaction& operator=(const WriteTransaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace plumb::store
