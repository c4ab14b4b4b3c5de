// frontier_places.h: translates a frontier into subproblems of one region's search, and back.
//
// A unit that is undecided in one region may be decided in another, or have another number there. So decisions about
// ReLUs are kept by their place in the network. Decisions about a maximum's units are dropped, because its chain
// depends on the region. That makes the subproblem larger, so it still contains every unsafe point that it must.
#pragma once

#include <map>
#include <vector>

#include "bounds/region_bounds.h"
#include "lanes/row_source.h"
#include "search/frontier.h"
#include "search/tree/subproblem.h"

namespace plumb::search {

// The frontier's subproblems of one conjunction, with units numbered as in `rows`; the root alone if everything is
// open. Subproblems that the region's bounds show to be empty are left out.
std::vector<Subproblem> placed_roots(const Frontier& frontier, std::size_t conjunction,
                                     const bounds::RegionBounds& bounds, const lanes::RowSource& rows);

// The frontier that consists of the subproblems in `open`, which maps conjunctions to their subproblems. It is set to
// everything if they are too many to be worth keeping.
Frontier frontier_of(const std::map<std::size_t, std::vector<Subproblem>>& open, bool has_grown,
                     const bounds::RegionBounds& bounds, const lanes::RowSource& rows);

}  // namespace plumb::search
