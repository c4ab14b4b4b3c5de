// sample.h: a data set's samples as a network takes them.
#pragma once

#include <optional>
#include <vector>

#include "data/data_set.h"
#include "network/network.h"
#include "property/perturbation.h"

namespace plumb::verify {

// Returns sample k as a flat input of the network. Throws DataError, which shows both shapes, if it does not fit.
std::vector<double> network_sample(const network::Network& network, const data::DataSet& data, std::int64_t k);

// Returns how samples are laid out as images, according to the network's input or else to the data set; nullopt if
// neither has the shape of an image.
std::optional<property::ImageShape> image_of_samples(const network::Network& network, const data::DataSet& data);

// Throws DataError if the label of sample k is not the index of a network output.
void check_label(const network::Network& network, const data::DataSet& data, std::int64_t k);

}  // namespace plumb::verify
