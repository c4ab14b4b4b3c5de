// result_table.h: the results of a store, one per query, and the history of those that were not kept.
#pragma once

#include <optional>
#include <string>

#include "store/store.h"

namespace plumb::store {

class ResultTable {
 public:
  virtual ~ResultTable() = default;

  // Records which query asks about the result's sample at its epsilon. Throws DataError if another one is recorded
  // there.
  virtual void note_question(const StoredResult& result) = 0;
  // The stored result of a query. Sample, label and epsilon need not be set.
  virtual std::optional<StoredResult> find(const std::string& query) = 0;
  virtual void add_to_history(const StoredResult& result) = 0;
  // Replaces the stored result of the same query, if there is one. The result gets a new id, which shows other
  // processes that it changed.
  virtual void put(const StoredResult& result) = 0;
};

// Adds what run `run` found at the time `now`. A result that was read from the store and is given again, with PGD's
// outcome added, stays the same solve. Throws InternalError if the result contradicts the stored one.
void record_result(ResultTable& table, const StoredResult& given, std::int64_t run, double now);

// For example "holds (linear bounds)".
std::string claim_text(const verdict::Verdict& verdict);

}  // namespace plumb::store
