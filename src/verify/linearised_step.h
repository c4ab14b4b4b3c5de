// linearised_step.h: where the nearest unsafe point would be if the network were everywhere as it is near a given
// point.
//
// In:  a growing region; one conjunction; a point (a network input, or parameters of an affine image). Out: a proposal.
//
// Near a point the network is affine, and so is every inequality of the conjunction: a_i . x <= b_i. By duality, the
// least radius r at which some x within r satisfies all of them is the maximum, over weights l >= 0 that sum to 1, of
// the least radius at which (sum l_i a_i) . x <= sum l_i b_i. For one such inequality the minimiser has a closed form
// in every norm (property/region.h). The weight of an inequality grows where the minimiser violates it; the mean of the
// minimisers nearly satisfies all of them.
//
// Why: a gradient attack follows the inequality that is worst at the moment. A target label must beat all others at
//      once, and at the nearest point where it does, several of them often tie.
// Not sound, and not meant to be: a proposal is checked like any other.
#pragma once

#include <optional>
#include <vector>

#include "attack/witness_check.h"
#include "property/growing_region.h"

namespace plumb::verify {

struct LinearisedStep {
  double radius = 0;
  std::vector<double> point;
};

// Returns nullopt if no radius up to `most` suffices, or if no inequality has a usable gradient.
std::optional<LinearisedStep> linearised_step(const network::Network& network,
                                              const attack::NetworkEvaluators& evaluators,
                                              const property::GrowingRegion& region,
                                              const property::Conjunction& conjunction, std::span<const double> at,
                                              double most);

}  // namespace plumb::verify
