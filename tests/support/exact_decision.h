// exact_decision.h: the true answer to questions about tiny networks, by brute force in rational arithmetic.
//
// In:  a network with exact coefficients, some four inputs and ten kinks; any region; any unsafe set.
// Out: whether the unsafe set is reached, the least value of a functional, the largest slack, the minimum distortion.
//
// How: a region is cut into pieces on which the network is affine (exact_pieces.h); on a piece every question is a
// linear program or a projection (exact_polytope.h). An l2 ball is no polytope: there the pieces are those of the box
// around it, and a question is answered by the distance from the centre. Written for clarity, from the definitions
// alone. Nothing here rounds.
#pragma once

#include <optional>
#include <vector>

#include "property/query.h"
#include "support/exact_pieces.h"
#include "support/exact_polytope.h"

namespace plumb::testing {

// Some point of the region that reaches the unsafe set; nothing if there is none. A strict conjunction is reached if
// all of its strict inequalities can hold strictly at one point.
std::optional<std::vector<mpq_class>> exact_witness(const property::Query& query);

// The least value of functional . outputs over the region lies in [low, high]; they are equal unless the region has an
// l2 ball, and then at most 2^-30 apart (relative to the span of the values). Nothing if the region is empty.
std::optional<ExactInterval> exact_minimum(const network::Network& network, const property::Region& region,
                                           const std::vector<mpq_class>& functional);

// The largest slack (attack/slack.h) of the unsafe set over the region. Not for regions with an l2 ball, nor for a
// conjunction without inequalities. Nothing if the region is empty or nothing is unsafe.
std::optional<mpq_class> exact_largest_slack(const property::Query& query);

// How near to `centre` the unsafe set is reached within the domain, which must not be a ball. For an affine image the
// distance is that of the parameters.
struct ExactDistortion {
  mpq_class squared;               // the square of the infimum of distances
  bool attained = false;           // by an unsafe point; always, without strict inequalities
  std::vector<mpq_class> nearest;  // a point at that distance, in the closure of the unsafe set

  // Doubles around the distance, next to each other or equal.
  double below() const;
  double above() const;
};
std::optional<ExactDistortion> exact_distortion(const network::Network& network, const property::SimpleRegion& domain,
                                                property::Norm norm, const std::vector<double>& centre,
                                                const property::UnsafeSet& unsafe);

}  // namespace plumb::testing
