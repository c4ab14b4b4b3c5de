// joined_networks.h: several networks of one property as one network.
//
// In:  a property that declares networks, and a network for each of them, in order: its outputs, then its hidden
// values. Out: one network with the inputs and outputs of all, in the order declared. An input tensor of a later
// network that
//      the property asserts to be equal, element by element, to one of an earlier network is that one: there is one
//      input node, and the property's formula is rewritten accordingly. With a single network nothing changes.
// Sound: a shared input is a substitution: the same points satisfy the property.
// Errors: DataError if a network does not have the tensors declared; if networks declared isomorphic do not have the
//      same inputs.
#pragma once

#include <string>
#include <vector>

#include "network/network.h"
#include "vnnlib/formula.h"

namespace plumb::vnnlib {

struct JoinedNetwork {
  network::Network network;
  std::vector<std::string> notices;  // of fit.h, where there are several
};

JoinedNetwork join_networks(Script& script, std::vector<network::Network> networks, const std::string& name);

}  // namespace plumb::vnnlib
