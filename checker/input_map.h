// input_map.h: networks with an affine map in front of their inputs.
#pragma once

#include "neighbourhood.h"
#include "network.h"

namespace checker {

// The network z -> f(offset + G z). Its other nodes come after the new ones, in their order.
Network with_affine_input(const Network& network, const AffineImage& image);

// Makes it the network for data x that are not normalised: it takes (x - mean) / deviation, in numbers that are
// enclosed by doubles. The texts are lists of exact numbers, as for_each_input() takes them, or the name of a data set
// for its usual numbers; an empty text is a mean of 0 or a deviation of 1.
void normalise(Network& network, std::string mean, std::string deviation, const DataSet* data);

}  // namespace checker
