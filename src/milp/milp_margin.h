// milp_margin.h: the least margin over a region, by mixed-integer programs with the margin as their objective.
//
// In:  a query, and a margin that some point is known to have.
// Out: what a solver claims about the least margin (verdict::LeastMargin).
//
// Bounds rule out conjunctions whose margin cannot be below the known one. Each of the others becomes a program of its
// own, the most promising first, with the best margin so far as its cut-off. Its relaxation is solved first, in rounds
// (hull_rounds.h): it may prove enough, and it gives the solver a better start. For an l2 ball, tangents are added
// where the solver's point lies outside of it, as in milp_engine.h.
//
// Sound:  the result is a claim. A solver works with tolerances, so kTolerance is subtracted from its bound. The result
//         is rigorous where bounds and relaxations prove as much, unless bounds of units are claims.
// Follows: Tjeng et al. 2019, section 4, with the objective of the whole problem instead of a feasibility question.
#pragma once

#include "milp/milp_engine.h"
#include "verdict/decide.h"

namespace plumb::milp {

class LeastMarginByMilp {
 public:
  LeastMarginByMilp(std::shared_ptr<const bounds::BoundedNetwork> network,
                    std::shared_ptr<const program::Solver> solver, MilpOptions options)
      : network_(std::move(network)), solver_(std::move(solver)), options_(std::move(options)) {}

  verdict::LeastMargin operator()(const property::Query& query, double reached, const Limits& limits) const;

 private:
  std::shared_ptr<const bounds::BoundedNetwork> network_;
  std::shared_ptr<const program::Solver> solver_;
  MilpOptions options_;
};

}  // namespace plumb::milp
