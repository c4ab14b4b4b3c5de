// region_rows.h: the region as rows over a program's coordinates.
//
// In:  one part of a region; an expression for each input (or for each parameter of an affine image).
// Out: bounds and rows that every point of the part satisfies. Boxes and l-infinity balls become bounds. l1 balls get
//      the auxiliary variables |x_j - c_j| of the paper's appendix A.3 (or, where coordinates are moves, a bound on the
//      sum of the moves). Polytopes keep their inequalities.
//
// An l2 ball is no polyhedron. It gets variables q_j >= (x_j - c_j)^2 with sum q_j <= r^2. Tangents bound each q_j from
// below and are added where a solver's point needs them: SphereRows. Any tangent is valid: t^2 >= 2 p t - p^2.
#pragma once

#include <optional>

#include "milp/encoding/encoded_network.h"

namespace plumb::milp {

class SphereRows {
 public:
  SphereRows(EncodedNetwork& network, const property::Ball& ball);

  // Adds tangents where q_j < (x_j - c_j)^2 at the point, if these differences sum to more than `tolerance` times the
  // squared radius. Returns false if there is nothing to add: up to the tolerance, the point is in the ball.
  bool cut_off(EncodedNetwork& network, std::span<const double> point, double tolerance) const;

 private:
  struct Square {
    program::VariableId variable;
    std::size_t coordinate;
  };

  void add_tangent(EncodedNetwork& network, const Square& square, double at) const;

  std::vector<double> centre_;
  double squared_radius_;  // rounded up
  std::vector<Square> squares_;
};

// Adds the rows of the part. If the part is an l2 ball, returns its rows, to which tangents may be added.
std::optional<SphereRows> add_region(EncodedNetwork& network, const property::SimpleRegion& part,
                                     double ignored_coefficient);

// The value of an expression at a solver's point, in plain arithmetic.
double value_at(const Expression& expression, std::span<const double> point);

}  // namespace plumb::milp
