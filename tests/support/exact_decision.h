// exact_decision.h: the true answer to questions about tiny networks, by brute force in rational arithmetic.
//
// In:  a network with exact coefficients, some four inputs and ten kinks; any region; any unsafe set.
// Out: whether the unsafe set is reached, the least value of a functional, the largest slack, the minimum distortion.
//
// How: a region part is cut along every kink that it really has (ReLU, maximum) until the network is affine on each
// piece; on a piece every question is a linear program or a projection (exact_polytope.h). An l2 ball is no polytope:
// there the pieces are those of the box around it, and a question is answered by the distance from the centre.
// Written for clarity, from the definitions alone. Nothing here rounds.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "property/query.h"
#include "support/exact_polytope.h"

namespace plumb::testing {

// A piece of a region's part on which the network is affine. Variables are the inputs, or the parameters of an affine
// image.
struct ExactPiece {
  ExactPolytope polytope;
  std::vector<ExactAffine> inputs, outputs;
  // If the part is an l2 ball: only points within this distance of the centre count.
  struct Sphere {
    std::vector<mpq_class> centre;
    mpq_class squared_radius;
  };
  std::optional<Sphere> sphere;
};

// Visits pieces that cover the region, until `visit` returns false. Pieces have common points at kinks only.
void for_each_piece(const network::Network& network, const property::Region& region,
                    const std::function<bool(const ExactPiece&)>& visit);
// The same for all inputs in a polytope.
void for_each_piece(const network::Network& network, const ExactPolytope& inputs,
                    const std::function<bool(const ExactPiece&)>& visit);

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
