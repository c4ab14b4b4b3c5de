// audited.h: decides a query by search, and has the checker of certificates prove the answer again (audit/audit.h).
//
// In:  a search engine, a query, limits. The audit begins when the search has ended, and does not count against them.
// Out: the engine's verdict, with statistics of the audit. If the audit was interrupted, or if the proof cannot be
//      recorded, `holds` becomes unknown and the verdict's reason says so. A claim that the checker does not accept
//      throws InternalError.
#pragma once

#include "search/decide.h"

namespace plumb::assembly {

// If `also` is not nullptr, it hears the search too.
verdict::Verdict decide_audited(const search::SearchEngine& engine, const property::Query& query, const Limits& limits,
                                events::EventSink* also = nullptr);

}  // namespace plumb::assembly
