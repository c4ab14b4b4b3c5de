// milp_margin.h: the least margin over a region, by mixed-integer programs with the margin as their objective.
//
// In:  a query, a margin that is known to be reached. Out: what a solver claims about the least one (worst_margin.h).
//
// Bounds exclude conjunctions whose margin cannot be below the known one; each of the others is a program of its own,
// the most promising first, cut off at the best margin so far. Its relaxation comes first, in rounds (hull_rounds.h):
// it may prove as much, and gives the solver a better start. An l2 ball gets tangents where the solver's point lies
// outside, as in milp_engine.h.
//
// Sound:  a claim. A solver works with tolerances, of which kTolerance is kept away from its bound. Where bounds and
//         relaxations reach as far it is rigorous, unless bounds of units were claims.
// Follows: Tjeng et al. 2019, section 4, with the objective of the whole problem instead of a feasibility question.
#pragma once

#include "milp/milp_engine.h"
#include "verdict/decide.h"

namespace plumb::milp {

class LeastMarginByMilp {
 public:
  // Keeps a reference to the network.
  LeastMarginByMilp(const bounds::BoundedNetwork& network, std::shared_ptr<const program::Solver> solver,
                    MilpOptions options)
      : network_(network), solver_(std::move(solver)), options_(std::move(options)) {}

  verdict::LeastMargin operator()(const property::Query& query, double reached, const Limits& limits) const;

 private:
  const bounds::BoundedNetwork& network_;
  std::shared_ptr<const program::Solver> solver_;
  MilpOptions options_;
};

}  // namespace plumb::milp
