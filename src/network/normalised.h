// normalised.h: the same network for inputs that are not normalised yet.
//
// In:  a network that takes (x - mean) / deviation; one mean and one deviation per input, known up to an error.
// Out: the network that takes x.
//
// Regions, distances and witnesses of the result are in the units of x. The result is simplified: the division becomes
// part of the first affine map where that is possible. As stored (as_stored()), it subtracts first and multiplies by
// 1 / deviation then.
#pragma once

#include "network/network.h"

namespace plumb::network {

// Throws DataError if a deviation may be zero.
Network with_normalisation(const Network& network, const Coefficients& mean, const Coefficients& deviation);

}  // namespace plumb::network
