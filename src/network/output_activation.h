// output_activation.h: what the last softmax, log-softmax or sigmoid, dropped on import, would make of the outputs.
//
// In:  a network and outputs of it. Out: the outputs that other programs see for the same file.
//
// Not rigorous: it is for showing outputs, and for asking whether an order of two survives in float32, where such
// operations saturate.
#pragma once

#include <vector>

#include "network/network.h"

namespace plumb::network {

bool has_dropped_activation(const Network& network);

std::vector<double> with_dropped_activations(const Network& network, std::vector<double> outputs);

}  // namespace plumb::network
