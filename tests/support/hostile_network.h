// hostile_network.h: tiny networks that are difficult on purpose, for tests that compare with exact arithmetic.
//
// They consist of dense layers and ReLUs with float32 weights. Most weights are multiples of 1/4, so that ties happen
// and exact arithmetic is fast. Every fifth network has weights of extreme magnitudes, or huge weights that cancel.
// Some networks have rows of zeros and constant outputs, and some have no ReLU at all.
#pragma once

#include <string>

#include "support/random_network.h"

namespace plumb::testing {

// One to four inputs, up to eight ReLUs, one to four outputs.
network::Network hostile_network(Random& random);

// Whether some weight is so large or so small that the usual estimates of rounding errors do not apply.
bool is_extreme(const network::Network& network);

// The weights in readable form.
std::string description(const network::Network& network);

}  // namespace plumb::testing
