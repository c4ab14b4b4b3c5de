// normalisation.h: networks that take (x - mean) / deviation, for data that are not normalised.
//
// In:  mean and deviation as users write them: one for all inputs, one per channel, or one per input; or the name of a
//      data set, which stands for the numbers that are usual for it.
// Out: the network for inputs before normalisation (network/normalised.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "network/network.h"
#include "property/perturbation.h"

namespace plumb::assembly {

struct Normalisation {
  std::vector<Rational> mean{Rational(0)}, deviation{Rational(1)};

  // Whether it changes nothing.
  bool is_identity() const;
};

// Empty texts mean a mean of 0 and a deviation of 1. Throws ArgumentError if a text is neither a list of numbers (as
// text_forms.h reads them) nor a known name, or if a deviation is not positive.
Normalisation parse_normalisation(const std::string& mean, const std::string& deviation);

// Returns the network itself if there is nothing to normalise. Throws ArgumentError if the numbers do not fit the
// network's inputs; `image` says how these form an image.
std::shared_ptr<const network::Network> normalised(std::shared_ptr<const network::Network> network,
                                                   const Normalisation& normalisation,
                                                   const std::optional<property::ImageShape>& image);

}  // namespace plumb::assembly
