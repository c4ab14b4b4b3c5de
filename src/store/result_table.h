// result_table.h: keeps the best result of each query, and the others in the history.
//
// A proof or a witness is better than a solver's claim, which is better than unknown. Two results that prove opposite
// answers cannot both be right.
#pragma once

#include <optional>
#include <string>

#include "store/sqlite.h"
#include "store/store.h"

namespace plumb::store {

// Whether `one` may replace `other`.
bool is_as_good(const verdict::Verdict& one, const verdict::Verdict& other);
// Whether both are proofs or witnesses, with opposite answers.
bool contradicts(const verdict::Verdict& one, const verdict::Verdict& other);
// For example "holds (linear bounds)".
std::string claim_text(const verdict::Verdict& verdict);

class ResultTable {
 public:
  explicit ResultTable(Database& database) : database_(database) {}

  // Records which query asks about the result's sample at its epsilon. Throws DataError if another one is recorded
  // there.
  void note_question(const StoredResult& result);
  // The stored result of a query, without sample, label and epsilon.
  std::optional<StoredResult> find(const std::string& query);
  void add_to_history(const StoredResult& result) { insert("history", result); }
  // Replaces the stored result of the same query, if there is one. It inserts a new row rather than updating the old
  // one: the new id shows other processes that the result changed.
  void put(const StoredResult& result);

 private:
  void insert(const char* table, const StoredResult& result);

  Database& database_;
};

}  // namespace plumb::store
