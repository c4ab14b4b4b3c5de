// frontier_places.h: a frontier as subproblems of one region's search, and back.
//
// A unit that is undecided in one region may be decided in another, and has another number there. Decisions are kept
// for ReLUs, by their place in the network. Those of a maximum's units, whose chain depends on the region, are
// forgotten: the subproblem grows, and still contains all that it must.
#pragma once

#include <map>
#include <vector>

#include "bounds/region_bounds.h"
#include "lanes/row_source.h"
#include "search/frontier.h"
#include "search/tree/subproblem.h"

namespace plumb::search {

// Those of a conjunction, as the rows number units; the root alone if everything is open. What the region's bounds show
// to be empty is left out.
std::vector<Subproblem> placed_roots(const Frontier& frontier, std::size_t conjunction,
                                     const bounds::RegionBounds& bounds, const lanes::RowSource& rows);

// `open`: by conjunction. Everything, if they are too many to be worth keeping.
Frontier frontier_of(const std::map<std::size_t, std::vector<Subproblem>>& open, bool has_grown,
                     const bounds::RegionBounds& bounds, const lanes::RowSource& rows);

}  // namespace plumb::search
