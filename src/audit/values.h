// values.h: what a network's elements may be, from what the elements before them may be; and an unsafe set at a point.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "audit/interval.h"
#include "property/query.h"

namespace plumb::audit {

// Of a node's elements. `inputs` are the network's, `known` says what an element of an earlier node may be.
using Known = std::function<Interval(network::NodeId id, std::int64_t element)>;
std::vector<Interval> values_of(const network::Network& network, network::NodeId id, std::span<const Interval> inputs,
                                const Known& known);

// The members of one group of a maximum.
std::span<const std::int32_t> members_of(const network::Maximum& maximum, std::int64_t element);

// False if the unsafe set is certainly missed at the input.
bool may_be_unsafe(const property::Query& query, std::span<const Interval> input);

}  // namespace plumb::audit
