// data_hash.h: what identifies a data set, whatever its files are called and however they store it.
#pragma once

#include <string>

#include "data/data_set.h"
#include "network/network.h"

namespace plumb::accuracy {

// Hexadecimal digits that depend on every sample as the network takes it, on the labels, and on their order. Throws
// DataError if a sample does not fit the network.
std::string data_hash(const network::Network& network, const data::DataSet& data, int threads);

}  // namespace plumb::accuracy
