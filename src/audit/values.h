// values.h: intervals of a network's elements, computed from those of earlier elements; and an unsafe set at a point.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "audit/interval.h"
#include "property/query.h"

namespace plumb::audit {

// Intervals of a node's elements. `inputs` are those of the network's inputs; `known` returns the interval of an
// element of an earlier node.
using Known = std::function<Interval(network::NodeId id, std::int64_t element)>;
std::vector<Interval> values_of(const network::Network& network, network::NodeId id, std::span<const Interval> inputs,
                                const Known& known);

// Returns false if the input is certainly not unsafe.
bool may_be_unsafe(const property::Query& query, std::span<const Interval> input);

}  // namespace plumb::audit
