// audited.h: decides a query by search while an audit proves every claim of the search again.
//
// In:  a search engine, a query, limits. The audit's time does not count against the limits.
// Out: the engine's verdict, with statistics of the audit. If the audit was interrupted, or could not confirm a bound
//      because of rounding, `holds` becomes unknown and the verdict's reason says so. A wrong claim throws
//      InternalError (audit/auditor.h).
#pragma once

#include "search/decide.h"

namespace plumb::assembly {

// If `also` is not nullptr, it hears the search too.
verdict::Verdict decide_audited(const search::SearchEngine& engine, const property::Query& query, const Limits& limits,
                                events::EventSink* also = nullptr);

}  // namespace plumb::assembly
