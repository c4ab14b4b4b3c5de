// milp_distortion.h: the nearest unsafe point of a region, by a mixed-integer program with the distance as its
// objective.
//
// In:  a query about one ball or image of a growing region. Out: what a solver claims about the nearest point
//      (distortion.h).
//
// Bounds exclude conjunctions as in milp_engine.h; each of the others is a program of its own, cut off at the best
// distance so far. The distance is the objective, so the program needs the box around a ball only.
//
// Sound:  a claim. A solver works with tolerances, absolute ones, of which kTolerance is kept away from its bound.
//         Distances of real networks are so small that this is far more than a gap of 1e-6: the bound serves where time
//         runs out, and the point is what counts. What closes the bracket is a decision, whose tolerance is one of the
//         outputs.
// Follows: Tjeng et al. 2019, equations 3 to 5 and appendix A.3.
#pragma once

#include "milp/milp_engine.h"
#include "verdict/decide.h"

namespace plumb::milp {

class NearestByMilp {
 public:
  // Keeps a reference to the network. The solver takes quadratic objectives if the norm is l2.
  NearestByMilp(const bounds::BoundedNetwork& network, std::shared_ptr<const program::Solver> solver,
                MilpOptions options)
      : network_(network), solver_(std::move(solver)), options_(std::move(options)) {}

  verdict::NearestUnsafe operator()(const property::Query& query, const property::GrowingRegion& region,
                                    const Limits& limits) const;

 private:
  const bounds::BoundedNetwork& network_;
  std::shared_ptr<const program::Solver> solver_;
  MilpOptions options_;
};

}  // namespace plumb::milp
