// audited.h: a query decided by the search, while an audit proves everything that the search claims again.
//
// In:  a search engine, a query, limits, which the audit's time does not count against.
// Out: the engine's verdict, with what was audited. A `holds` of which something was not confirmed at the last bits
//      becomes unknown, for that reason. A claim that is wrong is an InternalError (audit/auditor.h).
#pragma once

#include "search/decide.h"

namespace plumb::assembly {

verdict::Verdict decide_audited(const search::SearchEngine& engine, const property::Query& query, const Limits& limits);

}  // namespace plumb::assembly
