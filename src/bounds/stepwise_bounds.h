// stepwise_bounds.h: bounds of elements by backward passes that end as soon as forward forms decide the elements.
//
// In:  elements of a node at one pixel, forward forms of all nodes up to it.
// Out: lower bounds of the elements and the negated elements; tighter forms of the elements.
//
// Rows move back from one layer of units to the one before. There the forms of that layer give every row a
// bound. A row stops as soon as this bound fixes the sign of its element; the others go on to the inputs. Where few
// units stay undecided, most rows stop after a few layers.
//
// Sound:  rigorous, as the forms and the backward pass are.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "bounds/forward_forms.h"

namespace plumb::bounds {

// Lower bounds of the elements `channels` of node `id` at `pixel`, then of their negations. The forms of these elements
// are replaced by what is found. `layers` are the nodes that units read, at which rows may stop; `may_end` says whether
// they may do so before the inputs. Once the budget reaches a limit, what is left has the bound minus infinity.
std::vector<double> stepwise_bounds(const RegionBounds& bounds, ForwardForms& forms,
                                    const std::set<network::NodeId>& layers, bool may_end, network::NodeId id,
                                    std::int64_t pixel, const std::vector<std::int64_t>& channels,
                                    const Budget* budget = nullptr);

}  // namespace plumb::bounds
