// exact_decision.h: the true answers to queries about tiny networks, by brute force in rational arithmetic.
//
// In:  a network with exact coefficients, about four inputs and ten kinks; any region; any unsafe set.
// Out: whether some point is unsafe, the least value of a functional, the largest slack, the minimum distortion.
//
// A region is cut into pieces on which the network is affine (exact_pieces.h); on a piece every question is a
// linear program or a projection (exact_polytope.h). An l2 ball is not a polytope: its pieces are those of the box
// around it, and a question is answered by the distance from the centre. Written for clarity, from the definitions
// alone. Nothing here rounds.
#pragma once

#include <optional>
#include <vector>

#include "property/query.h"
#include "support/exact_pieces.h"
#include "support/exact_polytope.h"

namespace plumb::testing {

// Some unsafe point of the region; empty if there is none. A strict conjunction counts if some point satisfies all of
// its inequalities, the strict ones strictly.
std::optional<std::vector<mpq_class>> exact_witness(const property::Query& query);

// An interval [low, high] that contains the least value of functional . outputs over the region. The ends are equal,
// or, if the region has an l2 ball, at most 2^-30 apart (relative to the range of the values). Empty if the region is
// empty.
std::optional<ExactInterval> exact_minimum(const network::Network& network, const property::Region& region,
                                           const std::vector<mpq_class>& functional);

// The largest slack (attack/slack.h) of the unsafe set over the region. Not for regions with an l2 ball, nor for a
// conjunction without inequalities. Empty if the region is empty or the unsafe set has no conjunction.
std::optional<mpq_class> exact_largest_slack(const property::Query& query);

// The distance from `centre` to the unsafe set within the domain, which must not be a ball. For an affine image this is
// the distance between parameters.
struct ExactDistortion {
  mpq_class squared;               // the square of the infimum of distances
  bool attained = false;           // whether an unsafe point has this distance; always true without strict inequalities
  std::vector<mpq_class> nearest;  // a point at that distance, in the closure of the unsafe set

  // The doubles around the distance: neighbours, or equal if the distance is a double.
  double below() const;
  double above() const;
};
std::optional<ExactDistortion> exact_distortion(const network::Network& network, const property::SimpleRegion& domain,
                                                property::Norm norm, const std::vector<double>& centre,
                                                const property::UnsafeSet& unsafe);

}  // namespace plumb::testing
