// data_hash.h: a hash that identifies a data set, however its files are named and stored.
#pragma once

#include <string>

#include "data/data_set.h"
#include "network/network.h"

namespace plumb::accuracy {

// Returns hexadecimal digits that depend on every sample as the network takes it, on the labels, and on the order of
// the samples. Throws DataError if a sample does not fit the network.
std::string data_hash(const network::Network& network, const data::DataSet& data, int threads);

}  // namespace plumb::accuracy
