// claims.h: what is known about a region, as those who listen to a search are told (events/events.h).
#pragma once

#include "events/events.h"
#include "lanes/row_source.h"

namespace plumb::lanes {

// Every node's bounds and lines. They refer to the bounds' own numbers.
std::vector<events::NodeClaim> node_claims(const bounds::RegionBounds& bounds);

// The undecided units, as the rows number them.
events::UnitList unit_list(const bounds::RegionBounds& bounds, const RowSource& rows);

}  // namespace plumb::lanes
