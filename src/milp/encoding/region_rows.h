// region_rows.h: the region as rows over a program's coordinates.
//
// In:  one part of a region; expressions for each input (each parameter of an affine image).
// Out: bounds and rows that every point of the part satisfies: boxes and l-infinity balls as bounds, l1 balls with the
//      auxiliary |x_j - c_j| of the paper's appendix A.3 (a sum of moves, where coordinates are these), polytopes as
//      they are.
//
// An l2 ball is no polyhedron. Its squares q_j >= (x_j - c_j)^2 with sum q_j <= r^2 are kept above tangents, which are
// added where a solver's point needs them: SphereRows. Any tangent is valid: t^2 >= 2 p t - p^2.
#pragma once

#include <optional>

#include "milp/encoding/encoded_network.h"

namespace plumb::milp {

class SphereRows {
 public:
  SphereRows(EncodedNetwork& network, const property::Ball& ball);

  // Adds tangents where the point's squares are too small, by more than a relative `tolerance` of the squared radius in
  // all. False if there is nothing to add: the point is in the ball as far as the tolerance goes.
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

// The rows of an l2 ball, to which tangents may be added, if the part is one.
std::optional<SphereRows> add_region(EncodedNetwork& network, const property::SimpleRegion& part,
                                     double ignored_coefficient);

// The value of an expression at a solver's point, in plain arithmetic.
double value_at(const Expression& expression, std::span<const double> point);

}  // namespace plumb::milp
