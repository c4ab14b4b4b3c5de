#include "assembly/audited.h"

#include "audit/audit.h"
#include "events/listeners.h"

namespace plumb::assembly {
namespace {

using certificate::Kind;

verdict::AuditStatistics statistics_of(const audit::Audit& audit) {
  const audit::AuditCounts& counts = audit.counts();
  return {.pieces = counts.of(Kind::kProven),
          .refutations = counts.refutations(),
          .closings = counts.closings(),
          .cuts = counts.cuts(),
          .records = counts.records(),
          .seconds = audit.seconds()};
}

}  // namespace

verdict::Verdict decide_audited(const search::SearchEngine& engine, const property::Query& query, const Limits& limits,
                                events::EventSink* also) {
  audit::Audit audit(query);
  std::vector<events::EventSink*> all{&audit.listener()};
  if (also != nullptr) all.push_back(also);
  events::Listeners listeners(std::move(all));
  verdict::Verdict verdict = engine.decide(query, limits, listeners);
  const std::string why_not = audit.confirm(verdict, limits.cancel);
  verdict.statistics.audit = statistics_of(audit);
  if (!why_not.empty()) {
    verdict.answer = verdict::Answer::kUnknown;
    verdict.reason = why_not;
  }
  return verdict;
}

}  // namespace plumb::assembly
