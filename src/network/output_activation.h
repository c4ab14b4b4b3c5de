// output_activation.h: applies the last softmax, log-softmax or sigmoid, which was dropped on import, to outputs.
//
// In:  a network and its outputs.
// Out: the outputs that other programs compute for the same file.
//
// Not rigorous. It is used to show outputs, and to check whether the order of two outputs survives in float32, where
// these operations saturate.
#pragma once

#include <vector>

#include "network/network.h"

namespace plumb::network {

bool has_dropped_activation(const Network& network);

std::vector<double> with_dropped_activations(const Network& network, std::vector<double> outputs);

}  // namespace plumb::network
