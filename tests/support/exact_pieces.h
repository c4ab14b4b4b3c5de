// exact_pieces.h: a region cut into pieces on which a tiny network is affine, in rational arithmetic.
//
// A region part is cut along every kink that it really has (ReLU, maximum). Nothing here rounds.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "network/network.h"
#include "property/region.h"
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

// Functions of which the largest is the distance of x from the centre: +-(x_i - c_i), or all sums of such.
std::vector<ExactAffine> distance_pieces(property::Norm norm, const std::vector<mpq_class>& centre);

}  // namespace plumb::testing
