// hostile_network.h: tiny networks that are made to be difficult, for tests that compare with exact arithmetic.
//
// Dense layers and ReLUs with float32 weights: multiples of 1/4 as a rule, so that ties happen and exact arithmetic is
// quick; every fifth network has weights of extreme sizes, or huge ones that cancel. Some have rows of zeros and
// constant outputs, some no ReLU at all.
#pragma once

#include <string>

#include "support/random_network.h"

namespace plumb::testing {

// One to four inputs, up to eight ReLUs, one to four outputs.
network::Network hostile_network(Random& random);

// Whether a weight is so large or so small that ordinary rounding errors say nothing.
bool is_extreme(const network::Network& network);

// The weights, to be read by people.
std::string description(const network::Network& network);

}  // namespace plumb::testing
