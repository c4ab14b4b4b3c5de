// subproblem_dual.h: subproblems over an l2 ball, where linear programs do not reach.
//
// With the lines of open units as they are, every row is affine in the input, and the subproblem's unsafe points are
// those of a polyhedron: rows of decided units, of the functional and of the conjunction's other inequalities, all at
// most zero. The one nearest to the ball's centre (nearest_point.h) lies in the ball, and is a point to try; or it does
// not, and its multipliers show a combination of the rows that is positive all over the ball.
//
// In:  decisions, and choices to start from. Out: choices with better multipliers, for the search's own proof, or
//      points to try.
//
// Not sound, and not meant to be: choices are choices, points are points.
#pragma once

#include "search/leaf/affine_network.h"
#include "search/leaf/subproblem_program.h"

namespace plumb::search {

class SubproblemDual {
 public:
  static bool can_express(const reduction::InputSpace& space);

  // `constraints` as in subproblem_program.h. Keeps a reference to the network.
  SubproblemDual(const reduction::ReducedNetwork& network, std::int64_t functional_row,
                 std::vector<std::int64_t> constraints)
      : network_(network), functional_row_(functional_row), constraints_(std::move(constraints)) {}

  // The value is a bound on the functional where the choices are for a proof; where there is a point, how low the
  // functional is in the ball, whatever else holds there.
  SubproblemSolution solve(std::span<const reduction::Split> splits, const ProofChoices& start) const;

  // Points of the ball at which the functional and all constraints are at most -room, for several rooms up to `most`:
  // first the largest that the ball has a point for.
  std::vector<std::vector<double>> points_with_room(std::span<const reduction::Split> splits, const ProofChoices& start,
                                                    double most) const;

 private:
  const reduction::ReducedNetwork& network_;
  std::int64_t functional_row_;
  std::vector<std::int64_t> constraints_;
};

}  // namespace plumb::search
