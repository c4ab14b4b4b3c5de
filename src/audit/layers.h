// layers.h: the affine operations of a network, one output element at a time.
//
// An element of an affine node is a constant plus a sum of coefficients times elements of its arguments. Both
// directions of the audit (values forward, functionals backward) use only these terms, and rules for ReLU and maximum
// (values.h, substitution.h).
#pragma once

#include <cstdint>
#include <functional>

#include "audit/interval.h"
#include "network/network.h"

namespace plumb::audit {

// Called with the argument's number, its element and the coefficient. The coefficient is an interval if it was rounded
// when it was folded.
using VisitTerm = std::function<void(std::size_t argument, std::int64_t element, const Interval& coefficient)>;

// Visits the terms of one element of an affine node, and returns its constant.
Interval for_each_term(const network::Network& network, network::NodeId id, std::int64_t element,
                       const VisitTerm& visit);

}  // namespace plumb::audit
