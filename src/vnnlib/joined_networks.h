// joined_networks.h: makes one network of the several networks of a property.
//
// In:  a property that declares networks, and one network for each declaration, in order. The outputs of each come
//      first, then its hidden values.
// Out: one network with the inputs and outputs of all, in the order declared. If the property asserts that an input
//      tensor is equal to an earlier one, element by element, the two share one input node, and the property's formula
//      is rewritten accordingly. A single network is returned unchanged.
// Sound: sharing an input is a substitution: the same points satisfy the property.
// Errors: DataError if a network does not have the tensors declared, or if networks declared isomorphic have inputs of
//         different shapes.
#pragma once

#include <string>
#include <vector>

#include "network/network.h"
#include "vnnlib/formula.h"

namespace plumb::vnnlib {

struct JoinedNetwork {
  network::Network network;
  std::vector<std::string> notices;  // from fit.h; none for a single network
};

JoinedNetwork join_networks(Script& script, std::vector<network::Network> networks, const std::string& name);

}  // namespace plumb::vnnlib
