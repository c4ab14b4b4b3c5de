#include "store/result_table.h"

#include <fmt/format.h>

#include "base/error.h"
#include "store/remedies.h"
#include "store/result_row.h"

namespace plumb::store {
namespace {

// 0: unknown; 1: a solver's claim; 2: a proof or a witness.
int rank(const verdict::Verdict& verdict) {
  if (verdict.answer == verdict::Answer::kUnknown) return 0;
  return verdict.answer == verdict::Answer::kHolds && verdict.evidence == verdict::Evidence::kSolver ? 1 : 2;
}

}  // namespace

bool is_as_good(const verdict::Verdict& one, const verdict::Verdict& other) { return rank(one) >= rank(other); }

bool contradicts(const verdict::Verdict& one, const verdict::Verdict& other) {
  return rank(one) == 2 && rank(other) == 2 && one.answer != other.answer;
}

std::string claim_text(const verdict::Verdict& verdict) {
  return fmt::format("{} ({})", name_of(verdict.answer), verdict.reason);
}

void ResultTable::note_question(const StoredResult& result) {
  database_.change("INSERT OR IGNORE INTO question VALUES (?, ?, ?, ?)",
                   {result.sample, result.epsilon, result.label, result.query});
  Statement there =
      database_.query("SELECT query FROM question WHERE sample = ? AND epsilon = ?", {result.sample, result.epsilon});
  if (there.step() && there.text(0) == result.query) return;
  throw DataError(database_.path(),
                  fmt::format("sample {} at eps {} is another question than before", result.sample, result.epsilon),
                  use_another_store());
}

std::optional<StoredResult> ResultTable::find(const std::string& query) {
  Statement row = database_.query(fmt::format("SELECT {} FROM result WHERE query = ?", kResultColumns), {query});
  if (!row.step()) return std::nullopt;
  return result_of_row(row.row(), database_.path());
}

void ResultTable::put(const StoredResult& result) {
  database_.change("DELETE FROM result WHERE query = ?", {result.query});
  insert("result", result);
}

void ResultTable::insert(const char* table, const StoredResult& result) {
  database_.change(fmt::format("INSERT INTO {} ({}) VALUES ({})", table, kResultColumns, kResultParameters),
                   result_row(result));
}

}  // namespace plumb::store
