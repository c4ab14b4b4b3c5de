#include "store/result_table.h"

#include <fmt/format.h>

#include "base/error.h"
#include "store/better_result.h"

namespace plumb::store {

std::string claim_text(const verdict::Verdict& verdict) {
  return fmt::format("{} ({})", name_of(verdict.answer), verdict.reason);
}

void record_result(ResultTable& table, const StoredResult& given, std::int64_t run, double now) {
  StoredResult result = given;
  result.run = run;
  result.recorded = now;
  table.note_question(result);
  std::optional<StoredResult> known = table.find(result.query);
  if (!known) return table.put(result);
  const Kept kept = better_result(known->verdict, result.verdict);
  if (kept == Kept::kContradiction) {
    throw InternalError(fmt::format("sample {}", result.sample),
                        fmt::format("at eps {}, this run says {}, but the store says {}", result.epsilon,
                                    claim_text(result.verdict), claim_text(known->verdict)));
  }
  if (!result.pgd) result.pgd = known->pgd;
  const bool replaces = kept == Kept::kLater;
  const bool is_stored = given.run == known->run && given.recorded == known->recorded &&
                         given.verdict.answer == known->verdict.answer;  // with PGD's outcome added
  if (!is_stored) table.add_to_history(replaces ? *known : result);
  known->pgd = result.pgd;
  table.put(replaces && !is_stored ? result : *known);
}

}  // namespace plumb::store
