#include "assembly/audited.h"

#include <fmt/format.h>

#include "audit/auditor.h"
#include "events/listeners.h"

namespace plumb::assembly {

verdict::Verdict decide_audited(const search::SearchEngine& engine, const property::Query& query, const Limits& limits,
                                events::EventSink* also) {
  audit::Auditor auditor(query, limits.cancel);
  std::vector<events::EventSink*> all{&auditor};
  if (also != nullptr) all.push_back(also);
  events::Listeners listeners(std::move(all));
  Limits without_audit = limits;
  without_audit.not_counted = &auditor.seconds();
  verdict::Verdict verdict = engine.decide(query, without_audit, listeners);
  const audit::AuditCounts& counts = auditor.counts();
  verdict.statistics.audit = verdict::AuditStatistics{.closings = counts.closings,
                                                      .refutations = counts.refutations,
                                                      .bounds = counts.bounds,
                                                      .cuts = counts.cuts,
                                                      .pieces = counts.pieces,
                                                      .not_confirmed = counts.not_confirmed,
                                                      .seconds = auditor.seconds()};
  if (verdict.answer == verdict::Answer::kHolds && auditor.is_interrupted()) {
    verdict.answer = verdict::Answer::kUnknown;
    verdict.reason = "interrupted before the audit was complete";
  }
  if (verdict.answer == verdict::Answer::kHolds && counts.not_confirmed > 0) {
    verdict.answer = verdict::Answer::kUnknown;
    verdict.reason = fmt::format(
        "undecided because of rounding: {} of the bounds that close it are positive for the "
        "search, but not for the audit",
        counts.not_confirmed);
  }
  return verdict;
}

}  // namespace plumb::assembly
