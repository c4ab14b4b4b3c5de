// sample.h: a data set's samples as a network takes them.
#pragma once

#include <optional>
#include <vector>

#include "data/data_set.h"
#include "network/network.h"
#include "property/perturbation.h"

namespace plumb::verify {

// Sample k as a flat input of the network. Throws DataError, showing both shapes, if it does not fit.
std::vector<double> network_sample(const network::Network& network, const data::DataSet& data, std::int64_t k);

// How samples are images, as the network's input or else the data set says; nothing if neither does.
std::optional<property::ImageShape> image_of_samples(const network::Network& network, const data::DataSet& data);

// Throws DataError if sample k has a label that is none of the network's outputs.
void check_label(const network::Network& network, const data::DataSet& data, std::int64_t k);

}  // namespace plumb::verify
