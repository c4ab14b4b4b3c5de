// stepwise_bounds.h: bounds of elements by backward passes that end as soon as forward forms decide the elements.
//
// In:  elements of a node at one pixel, forward forms of all nodes up to it.
// Out: lower bounds of the elements and the negated elements; tighter forms of the elements.
//
// Rows move back from one layer of units to the one before. There the forms of that layer bound them. A row whose
// element is decided goes no further; the others end at the inputs. Where few units stay undecided, most rows end long
// before the first layers, which are the widest in networks that generate images.
//
// Sound:  each bound is at most what a backward pass to the inputs proves, up to rounding.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "bounds/forward_forms.h"

namespace plumb::bounds {

// Where rows stop: at nodes that units read. `layers` are these nodes; `may_end` says whether a row may end before the
// inputs when the sign of its element is known. Rows end without bounds where the budget reaches a limit.
std::vector<double> stepwise_bounds(const RegionBounds& bounds, ForwardForms& forms,
                                    const std::set<network::NodeId>& layers, bool may_end, network::NodeId id,
                                    std::int64_t pixel, const std::vector<std::int64_t>& channels,
                                    const Budget* budget = nullptr);

}  // namespace plumb::bounds
