// random_network.h: small random networks made of every operation, for tests that compare with an oracle.
#pragma once

#include <random>

#include "network/network.h"

namespace plumb::testing {

using Random = std::mt19937_64;

// A graph of about `operations` operations with several inputs, residual sums, concatenations, shared values and
// several outputs. Weights are float32 values, so that products of two are exact doubles and sums are not.
network::Network random_network(Random& random, int operations);

// A network of the same operations that is small enough for exact_decision.h: at most four inputs, eight kinks (ReLU
// units, and comparisons within maxima) and eight outputs. Weights are multiples of 1/4, so that ties happen. Some
// units are duplicates of others, some are constant, and some are never active.
network::Network tiny_network(Random& random);

// Dense maps from widths[0] inputs to widths.back() outputs with ReLUs between them.
network::Network random_chain(Random& random, const std::vector<std::int64_t>& widths);

// A point of the network's input space with float32 coordinates in [-2, 2]. Some coordinates are zero.
std::vector<double> random_point(Random& random, std::int64_t size);

// Float32 values around zero.
std::vector<double> random_weights(Random& random, std::int64_t count);

std::int64_t uniform(Random& random, std::int64_t least, std::int64_t most);

}  // namespace plumb::testing
