// linearised_step.h: where the nearest unsafe point would be if the network went on as it does at a point.
//
// In:  a growing region; one conjunction; a point (network input, or parameters of an affine image). Out: a proposal.
//
// At a point the network is affine, and so is every inequality of the conjunction: a_i . x <= b_i. The least radius r
// at which some x within r satisfies all of them is, by duality, the largest over weights l >= 0 of sum one of the
// least radius at which (sum l_i a_i) . x <= sum l_i b_i; and that one has its minimiser in closed form in every norm
// (property/region.h). Weights grow where the minimiser violates an inequality; the mean of the minimisers nearly
// satisfies all.
//
// Why: a gradient attack follows the worst inequality of the moment. A target label must beat all others at once, and
//      the nearest point at which it does is often one where several of them tie.
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

// Nothing if no radius below `most` would do, or the conjunction has no inequalities.
std::optional<LinearisedStep> linearised_step(const network::Network& network,
                                              const attack::NetworkEvaluators& evaluators,
                                              const property::GrowingRegion& region,
                                              const property::Conjunction& conjunction, std::span<const double> at,
                                              double most);

}  // namespace plumb::verify
