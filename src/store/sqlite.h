// sqlite.h: the SQLite library with C++ lifetimes and Plumb's errors.
//
// In:  SQL and values. Out: values.
//
// What SQLite reports becomes an Error that says what happened to the file and what to do: a full disk and a file that
// cannot be written are FileErrors, a file that is damaged or is no database is a DataError. After either, what was
// committed before is intact: SQLite undoes the transaction that failed.
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

using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;  // the first: NULL

// Outlived by its Database.
class Statement {
 public:
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& operator=(Statement&&) = delete;

  // Parameters are counted from 0, as columns are.
  Statement& bind(std::span<const Value> values);
  // True if there is a row.
  bool step();

  Value column(int index) const;
  std::vector<Value> row() const;
  // Throw DataError if the column holds another type: the store was not written by Plumb.
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
  enum class Access { kRead, kWrite, kCreate };

  Database(std::string path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }

  // One or several statements whose rows, if any, are not wanted.
  void execute(const std::string& sql);
  Statement query(const std::string& sql, std::initializer_list<Value> values = {});
  // One statement that gives no rows; returns how many rows it changed.
  std::int64_t change(const std::string& sql, std::span<const Value> values);
  std::int64_t change(const std::string& sql, std::initializer_list<Value> values = {}) {
    return change(sql, std::span(values.begin(), values.size()));
  }

  // Throws what the library's last error means.
  [[noreturn]] void fail();

 private:
  friend class Statement;
  sqlite3_stmt* prepared(const std::string& sql);
  void take_back(std::string sql, sqlite3_stmt* statement);

  std::string path_;
  sqlite3* handle_ = nullptr;
  // By their text: reading SQL takes longer than most of the statements.
  std::unordered_map<std::string, sqlite3_stmt*> idle_;
};

// Everything that is changed while it lives is kept by commit() or not at all. Others that write wait.
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
