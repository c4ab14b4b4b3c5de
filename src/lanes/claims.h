// claims.h: what is known about a region, in the form in which a search reports it (events/events.h).
#pragma once

#include "events/events.h"
#include "lanes/row_source.h"

namespace plumb::lanes {

// The bounds and lines of every node that has bounds. The claims refer to memory of `bounds`.
std::vector<events::NodeClaim> node_claims(const bounds::RegionBounds& bounds);

// The undecided units, numbered as in `rows`, or as in the reduced network.
events::UnitList unit_list(const bounds::RegionBounds& bounds, const RowSource& rows);
events::UnitList unit_list(const bounds::RegionBounds& bounds, const reduction::ReducedNetwork& reduced);

}  // namespace plumb::lanes
