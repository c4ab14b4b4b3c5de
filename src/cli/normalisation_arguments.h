// normalisation_arguments.h: --mean and --std, the same for questions about samples and about files.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/common_options.h"
#include "network/network.h"
#include "property/perturbation.h"

namespace plumb::cli {

// Says, unless quiet, what the network takes if a mean is given without a deviation or the other way round.
void note_half_a_normalisation(const NormalisationArguments& arguments, const OutputOptions& output);

// A network for inputs before normalisation.
struct NormalisedNetwork {
  std::shared_ptr<const network::Network> network;
  std::string hash_before;  // of the network that was normalised; empty if nothing was

  // The hash of the network as its file has it, so that it does not depend on the normalisation.
  std::string hash_of_file() const;
};

// `image` says how inputs form an image. Throws ArgumentError if the numbers do not fit the network.
NormalisedNetwork normalise(std::shared_ptr<const network::Network> network, const NormalisationArguments& arguments,
                            const std::optional<property::ImageShape>& image);

// Both as numbers in lowest terms: a file may change, and a name stand for other numbers one day. Empty if they change
// nothing.
NormalisationArguments as_numbers(const NormalisationArguments& arguments);

}  // namespace plumb::cli
