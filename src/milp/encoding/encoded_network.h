// encoded_network.h: a network over a region as rows of a program, made in one of two ways.
//
// Layered: every element that the functionals depend on is a variable, unless it is decided: the paper's formulation.
//          An active unit shares the variable of its argument, an inactive one is zero. Affine operations are rows.
// Reduced: only coordinates of the region and undecided units have variables (reduction/reduced_network.h).
//
// Sound:   for every point of the region over which the bounds hold, the true values of all variables satisfy the
//          program. Errors of rows and rounding widen it.
// Exact:   with all indicators at 0 or 1, the functionals are the network's up to those errors.
// Trusts:  the bounds.
#pragma once

#include <optional>

#include "milp/encoding/hull_rows.h"
#include "milp/encoding/relu.h"
#include "reduction/reduced_network.h"

namespace plumb::milp {

// Coefficients below this are lost in the tolerances of every solver.
inline constexpr double kIgnoredCoefficient = 1e-9;

struct EncodingOptions {
  BigM big_m = BigM::kAsymmetric;
  // Coefficients below this are left out, because the solver would ignore them (SolverInfo::ignored_coefficient). What
  // that changes is added to the row's error.
  double ignored_coefficient = kIgnoredCoefficient;
};

struct EncodedNetwork {
  program::Program program;
  // One per network input, or per parameter if the region is an affine image; nullopt where nothing depends on it.
  std::vector<std::optional<Expression>> coordinates;
  // Over an l1 ball, a coordinate may be written as centre + up - down, with terms for `up` and `down` in this order,
  // both at least 0. Most coordinates stay at the centre, and the ball is a single row.
  bool coordinates_are_moves = false;
  std::vector<Expression> functionals;  // those asked for, in order
  // The undecided ReLUs whose argument is defined by a row. For other ReLUs, whose argument is for example an input or
  // another ReLU, the program already contains the convex hull.
  std::vector<AffineUnit> units;
};

// The variables `up` and `down` of all coordinates if coordinates are moves; empty otherwise.
std::vector<program::VariableId> moves_of(const EncodedNetwork& network);

// The bounds' region must have one part. The functionals are over nodes of the network, with constants and errors.
EncodedNetwork encode_layered(const bounds::RegionBounds& bounds, const bounds::Functionals& functionals,
                              const EncodingOptions& options);
// The functionals are elements of one node. Only bounds of the nodes up to it are needed.
EncodedNetwork encode_layered(const bounds::RegionBounds& bounds, network::NodeId node,
                              std::span<const std::int64_t> elements, const EncodingOptions& options);
EncodedNetwork encode_reduced(const reduction::ReducedNetwork& reduced, const EncodingOptions& options);

}  // namespace plumb::milp
