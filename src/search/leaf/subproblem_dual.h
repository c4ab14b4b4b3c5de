// subproblem_dual.h: subproblems over an l2 ball, which no linear program can express.
//
// Once every open unit is replaced by its line, all rows are affine in the input, and the unsafe points of the
// subproblem are those of a polyhedron: the rows of decided units, of the functional and of the conjunction's other
// inequalities are all at most zero. If the point of the polyhedron nearest to the ball's centre (nearest_point.h) lies
// in the ball, it is a point to try. Otherwise its multipliers show a combination of the rows that is positive
// everywhere in the ball.
//
// In:  decisions, and choices to start from.
// Out: choices with better multipliers, for the search's own proof, or points to try.
//
// Not sound, and not meant to be: choices still have to be proven, and points to be checked.
#pragma once

#include "search/leaf/affine_network.h"
#include "search/leaf/subproblem_program.h"

namespace plumb::search {

class SubproblemDual {
 public:
  static bool can_express(const reduction::InputSpace& space);

  // `constraints` are as in subproblem_program.h. Keeps a reference to the network.
  SubproblemDual(const reduction::ReducedNetwork& network, std::int64_t functional_row,
                 std::vector<std::int64_t> constraints)
      : network_(network), functional_row_(functional_row), constraints_(std::move(constraints)) {}

  // If no unsafe point is found in the ball, returns choices for a proof and a positive value. Otherwise returns a
  // point to try; the value is then the functional's minimum over the ball, whatever the other rows are there, but at
  // most zero.
  SubproblemSolution solve(std::span<const reduction::Split> splits, const ProofChoices& start) const;

  // Points of the ball at which the functional and all constraints are at most -room, for several values of room up to
  // `most`. The point with the most room comes first.
  std::vector<std::vector<double>> points_with_room(std::span<const reduction::Split> splits, const ProofChoices& start,
                                                    double most) const;

 private:
  const reduction::ReducedNetwork& network_;
  std::int64_t functional_row_;
  std::vector<std::int64_t> constraints_;
};

}  // namespace plumb::search
