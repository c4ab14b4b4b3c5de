// node_dual.h: the best multipliers of a subproblem over an l2 ball, where linear programs do not reach.
//
// With the lines of open units as they are, every row is affine in the input, and the bound is a concave function of
// the multipliers (of decided units, and of the conjunction's other inequalities): the least value of one affine row
// over the ball, smooth wherever that row is not zero. Newton's method finds its maximum over multipliers >= 0.
//
// In:  decisions, and choices to start from. Out: choices with better multipliers, for the search's own proof, and the
//      point at which the row is least.
//
// Not sound, and not meant to be: choices are choices, points are points.
// Follows: Bertsekas 1982, Projected Newton methods for optimization problems with simple constraints.
#pragma once

#include "search/node_program.h"

namespace plumb {

class NodeDual {
 public:
  static bool can_express(const InputSpace& space);

  // `constraints` as in node_program.h. Keeps a reference to the network.
  NodeDual(const ReducedNetwork& network, std::int64_t functional_row, std::vector<std::int64_t> constraints)
      : network_(network), functional_row_(functional_row), constraints_(std::move(constraints)) {}

  // With room, the other inequalities of the conjunction are to hold with so much to spare; that proves nothing about
  // the conjunction itself, and only the point is of use.
  NodeSolution solve(std::span<const Split> splits, const ProofChoices& start, double room = 0) const;

 private:
  const ReducedNetwork& network_;
  std::int64_t functional_row_;
  std::vector<std::int64_t> constraints_;
};

}  // namespace plumb
