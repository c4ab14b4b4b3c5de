// result_table.h: the best result of each query, and the others in the history.
//
// One of two results is better: a proof or a witness before a solver's claim before unknown. Two that prove opposite
// things cannot both be right.
#pragma once

#include <optional>
#include <string>

#include "store/sqlite.h"
#include "store/store.h"

namespace plumb::store {

// Whether the first may stand where the second stood.
bool is_as_good(const verdict::Verdict& one, const verdict::Verdict& other);
// Whether each is a proof or a witness, and they say opposite things.
bool contradicts(const verdict::Verdict& one, const verdict::Verdict& other);
// "holds (linear bounds)".
std::string claim_text(const verdict::Verdict& verdict);

class ResultTable {
 public:
  explicit ResultTable(Database& database) : database_(database) {}

  // Which query asks about the result's sample at its epsilon. Throws DataError if that was another one before.
  void note_question(const StoredResult& result);
  // The stored result of a query, without sample, label and epsilon.
  std::optional<StoredResult> find(const std::string& query);
  void add_to_history(const StoredResult& result) { insert("history", result); }
  // In the place of what is stored for its query, if anything is. A new row rather than a changed one: its id tells
  // others that there is news.
  void put(const StoredResult& result);

 private:
  void insert(const char* table, const StoredResult& result);

  Database& database_;
};

}  // namespace plumb::store
