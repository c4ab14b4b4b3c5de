// milp_engine.h: the paper's verifier: bounds, then a mixed-integer program that a solver decides.
//
// In:  a query about a network, limits. Out: a verdict.
//
// A ladder, each step for what the earlier ones left open, part by part of the region:
//   bounds        intervals and linear bounds exclude conjunctions of the unsafe set. All: holds, rigorous.
//   attack        a few gradient descents. A confirmed witness: violated.
//   tightening    better bounds of undecided units; they exclude more.
//   relaxation    for each conjunction that is left (or for all, with indicators) the linear program whose minimum is
//                 the margin. A positive bound, rebuilt from the duals: holds, rigorous. Then again with rows of units'
//                 convex hulls that its optimum violates, a few times (hull_rounds.h).
//   program       the same with integrality, and with these rows. A bound above kClearance: holds, by the solver's
//                 claim. A solution is lifted, rounded into the region and re-evaluated: a confirmed one is a witness,
//                 others are never reported.
//   repair        for a solution that is none: the linear program over its activation pattern, whose deepest point is
//                 tried; then the pattern is left out and the solver asked again, a few times. If the pattern was not
//                 proven safe on the way, only a witness can still decide.
//
// Sound:  a solver works with tolerances. Its bound is taken only where it exceeds kClearance, so that ties (which are
//         unsafe) are not lost to a tolerance; it is still a claim, and the verdict says so.
// Work:   nodes of branch and bound, and one for each solve.
// Follows: Tjeng et al. 2019, sections 4 and 4.2, on the reduced network (milp/encoding/encoded_network.h).
#pragma once

#include <functional>
#include <memory>

#include "attack/gradient_attack.h"
#include "base/limits.h"
#include "milp/encoding/encoding.h"
#include "milp/hull_rounds.h"
#include "milp/tightening/progressive.h"
#include "program/solver.h"
#include "verdict/verdict.h"

namespace plumb::milp {

enum class NetworkForm { kReduced, kLayered };
enum class ConjunctionForm { kOneByOne, kTogether };

// How far the unsafe set must be missed, by the solver's own account, for its claim to count.
inline constexpr double kClearance = 1e-6;

inline TighteningOptions default_tightening() {
  TighteningOptions options;
  options.methods = {bounds::BoundMethod::kInterval, bounds::BoundMethod::kLinear, bounds::BoundMethod::kAlpha};
  return options;
}

struct MilpOptions {
  NetworkForm network = NetworkForm::kReduced;
  ConjunctionForm conjunctions = ConjunctionForm::kOneByOne;
  BigM big_m = BigM::kAsymmetric;
  attack::AttackOptions attack{.steps = 20, .restarts = 4};
  // How units are bounded before a program is made; `programs.encoding` and `programs.layered` follow the two above.
  TighteningOptions tightening = default_tightening();
  HullRoundOptions cuts;  // of programs whose objective is a margin
  int threads = 1;        // of the solver
  int seed = 0;
  // Bounds over a larger region that are used instead of the query's own: the paper's second ablation. For boxes and
  // balls; other parts get bounds of their own.
  std::shared_ptr<const bounds::RegionBounds> domain;
  // Called with the program of the whole question, once for each part that needs one.
  std::function<void(const program::Program&)> on_program;
};

class MilpEngine {
 public:
  // Keeps a reference to the network. The solver is a CheckedSolver, as make_solver() gives them.
  MilpEngine(const bounds::BoundedNetwork& network, std::shared_ptr<const attack::NetworkEvaluators> evaluators,
             std::shared_ptr<const program::Solver> solver, MilpOptions options);

  // The query is about the same network. May run in several threads at once.
  verdict::Verdict decide(const property::Query& query, const Limits& limits) const;

 private:
  const bounds::BoundedNetwork& network_;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators_;
  std::shared_ptr<const program::Solver> solver_;
  MilpOptions options_;
};

}  // namespace plumb::milp
