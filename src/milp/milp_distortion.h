// milp_distortion.h: the nearest unsafe point of a region, by a mixed-integer program with the distance as its
// objective.
//
// In:  a query about one ball or image of a growing region.
// Out: what a solver claims about the nearest unsafe point (verdict::NearestUnsafe).
//
// Bounds refute conjunctions as in milp_engine.h. Each of the others becomes a program of its own, with the best
// distance so far as its cut-off. Because the distance is the objective, the program needs only the box around a ball.
//
// Sound:  the result is a claim, unless bounds refute every conjunction. A solver works with absolute tolerances, so
//         kTolerance is subtracted from its bound. Distances of real networks are so small that this is far more than a
//         relative gap of 1e-6. So the bound matters only where time runs out, and the point is what counts. The
//         bracket is closed by a decision, whose tolerances apply to the outputs.
// Follows: Tjeng et al. 2019, equations 3 to 5 and appendix A.3.
#pragma once

#include "milp/milp_engine.h"
#include "verdict/decide.h"

namespace plumb::milp {

class NearestByMilp {
 public:
  // The solver must take quadratic objectives if the norm is l2.
  NearestByMilp(std::shared_ptr<const bounds::BoundedNetwork> network, std::shared_ptr<const program::Solver> solver,
                MilpOptions options)
      : network_(std::move(network)), solver_(std::move(solver)), options_(std::move(options)) {}

  verdict::NearestUnsafe operator()(const property::Query& query, const property::GrowingRegion& region,
                                    const Limits& limits) const;

 private:
  std::shared_ptr<const bounds::BoundedNetwork> network_;
  std::shared_ptr<const program::Solver> solver_;
  MilpOptions options_;
};

}  // namespace plumb::milp
