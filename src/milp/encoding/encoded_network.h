// encoded_network.h: a network over a region as rows of a program. Two sources, one result.
//
// Layered: every element that the functionals depend on is a variable, unless it is decided: the paper's formulation.
//          Stably active units are their argument's variable, stably inactive ones are zero; affine operations are
//          rows.
// Reduced: variables for the coordinates of the region and for undecided units alone (reduction/reduced_network.h).
//
// Sound:   for every point of the region that the bounds are about, the true values of all variables satisfy the
//          program: row errors and rounding widen it.
// Exact:   with all indicators at 0 or 1, the functionals are the network's up to those errors.
// Trusts:  the bounds.
#pragma once

#include <optional>

#include "milp/encoding/hull_rows.h"
#include "milp/encoding/relu.h"
#include "reduction/reduced_network.h"

namespace plumb::milp {

// Coefficients this small are beyond the tolerances of every solver.
inline constexpr double kIgnoredCoefficient = 1e-9;

struct EncodingOptions {
  BigM big_m = BigM::kAsymmetric;
  // Coefficients below this are left out, as the solver would do (SolverInfo::ignored_coefficient); it costs an error.
  double ignored_coefficient = kIgnoredCoefficient;
};

struct EncodedNetwork {
  program::Program program;
  // Of each network input, or of each parameter where the region is an affine image. None: nothing depends on it.
  std::vector<std::optional<Expression>> coordinates;
  // Over an l1 ball, coordinates may be its centre + up - down, with terms for `up` and `down` in this order, both at
  // least 0: most stay at the centre, and the ball is one row.
  bool coordinates_are_moves = false;
  std::vector<Expression> functionals;  // those asked for, in order
  // The undecided ReLUs whose argument a row defines. Others, of which the argument is an input or another ReLU, have
  // their convex hull as it is.
  std::vector<AffineUnit> units;
};

// All ups and downs, where coordinates are moves; nothing elsewhere.
std::vector<program::VariableId> moves_of(const EncodedNetwork& network);

// The bounds' region has one part. Functionals are over nodes of the network, with constants and errors.
EncodedNetwork encode_layered(const bounds::RegionBounds& bounds, const bounds::Functionals& functionals,
                              const EncodingOptions& options);
// The functionals are elements of one node; bounds of the nodes up to it are enough.
EncodedNetwork encode_layered(const bounds::RegionBounds& bounds, network::NodeId node,
                              std::span<const std::int64_t> elements, const EncodingOptions& options);
EncodedNetwork encode_reduced(const reduction::ReducedNetwork& reduced, const EncodingOptions& options);

}  // namespace plumb::milp
