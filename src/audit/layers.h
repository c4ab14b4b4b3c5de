// layers.h: the affine operations of a network, one output element at a time.
//
// An affine node's element is constant + sum of coefficient times element of an argument. Both directions of the audit
// (values forward, functionals backward) are made of nothing else, and of the rules for ReLU and maximum in piece.h.
#pragma once

#include <cstdint>
#include <functional>

#include "audit/interval.h"
#include "network/network.h"

namespace plumb::audit {

// Called with the argument's number, its element and the coefficient, which is an interval where the true one was
// rounded when it was folded.
using VisitTerm = std::function<void(std::size_t argument, std::int64_t element, const Interval& coefficient)>;

// Input, ReLU and maximum are not affine.
bool is_affine(const network::Op& op);

// The terms of one element of an affine node, and its constant.
Interval for_each_term(const network::Network& network, network::NodeId id, std::int64_t element,
                       const VisitTerm& visit);

}  // namespace plumb::audit
