// claims.h: what is known about a region, as those who listen to a search are told (events/events.h).
#pragma once

#include "events/events.h"
#include "lanes/row_source.h"

namespace plumb {

// Every node's bounds and lines. They refer to the bounds' own numbers.
std::vector<NodeClaim> node_claims(const RegionBounds& bounds);

// The undecided units, as the rows number them.
UnitList unit_list(const RegionBounds& bounds, const RowSource& rows);

}  // namespace plumb
