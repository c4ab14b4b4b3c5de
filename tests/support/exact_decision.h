// exact_decision.h: the true answers to queries about tiny networks, by brute force in rational arithmetic.
//
// In:  a network with exact coefficients, about four inputs and ten kinks; any region; any unsafe set.
// Out: whether some point is unsafe, the least value of a functional, the largest slack, the minimum distortion.
//
// Each part of the region is cut along every kink (ReLU, maximum) that crosses it, until the network is affine on each
// piece. On a piece every question is a linear program or a projection (exact_polytope.h). An l2 ball is not a
// polytope: its pieces are those of the box around it, and a question is answered by the distance from the centre. The
// code is written for clarity, from the definitions alone. Nothing here rounds.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "property/query.h"
#include "support/exact_polytope.h"

namespace plumb::testing {

// A piece of a region's part on which the network is affine. The variables are the inputs, or the parameters of an
// affine image.
struct ExactPiece {
  ExactPolytope polytope;
  std::vector<ExactAffine> inputs, outputs;
  // For a part that is an l2 ball: only points within this distance from the centre belong to the piece.
  struct Sphere {
    std::vector<mpq_class> centre;
    mpq_class squared_radius;
  };
  std::optional<Sphere> sphere;
};

// Visits pieces that cover the region, until `visit` returns false. Pieces overlap only at kinks.
void for_each_piece(const network::Network& network, const property::Region& region,
                    const std::function<bool(const ExactPiece&)>& visit);
// The same for all inputs in a polytope.
void for_each_piece(const network::Network& network, const ExactPolytope& inputs,
                    const std::function<bool(const ExactPiece&)>& visit);

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
