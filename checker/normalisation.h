// normalisation.h: a network that takes (x - mean) / deviation, for data x that are not normalised.
#pragma once

#include <string>

#include "neighbourhood.h"
#include "network.h"

namespace checker {

// Puts x / deviation - mean / deviation behind each input, in numbers that are enclosed by doubles. The texts are lists
// of exact numbers, as for_each_input() takes them, or the name of a data set for its usual numbers; an empty text is a
// mean of 0 or a deviation of 1.
void normalise(Network& network, std::string mean, std::string deviation, const DataSet* data);

}  // namespace checker
