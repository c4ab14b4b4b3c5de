// milp_engine.h: the paper's verifier: bounds, then a mixed-integer program that a solver decides.
//
// In:  a query about a network, limits. Out: a verdict.
//
// The parts of the region are decided one by one. Each step takes what the earlier ones left open:
//   bounds        Intervals and linear bounds refute conjunctions of the unsafe set. If they refute all: holds,
//                 rigorous.
//   attack        A few gradient descents. A confirmed witness: violated.
//   tightening    Better bounds of undecided units refute more conjunctions.
//   relaxation    For each conjunction that is left (or for all of them, told apart by indicators), a linear program
//                 minimises the margin. A positive bound, rebuilt from the duals: holds, rigorous. Otherwise the
//                 program is solved again, a few times, with rows of units' convex hulls that its optimum violates
//                 (hull_rounds.h).
//   program       The same program with integrality and with these rows. A bound above kClearance: holds, by the
//                 solver's claim. A solution is lifted, rounded into the region and evaluated again. A confirmed one is
//                 a witness; others are never reported.
//   repair        For a solution that is no witness: a linear program over its activation pattern finds the pattern's
//                 deepest point, which is tried. If it is no witness either, the pattern is excluded and the solver is
//                 asked again, a few times. Unless the pattern was proven safe, only a witness can still decide.
//
// Sound:  a solver works with tolerances. Its bound is accepted only if it exceeds kClearance, so that ties (which are
//         unsafe) are not lost to a tolerance. It is still a claim, and the verdict says so.
// Work:   counts branch-and-bound nodes, and one per solve.
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

// A solver's claim counts only if, by its own account, the unsafe set is missed by this much.
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
  // How units are bounded before a program is made. MilpEngine sets `programs.encoding` and `programs.layered` to match
  // the fields above.
  TighteningOptions tightening = default_tightening();
  HullRoundOptions cuts;  // for programs whose objective is a margin
  int threads = 1;        // of the solver
  int seed = 0;
  // Bounds over a larger region, used instead of bounds over the query's own: the paper's second ablation. They apply
  // to boxes and balls; other parts get bounds of their own.
  std::shared_ptr<const bounds::RegionBounds> domain;
  // Called once for each part that needs a program, with the program of the whole question.
  std::function<void(const program::Program&)> on_program;
};

class MilpEngine {
 public:
  // The solver must be a CheckedSolver, as make_solver() returns.
  MilpEngine(std::shared_ptr<const bounds::BoundedNetwork> network,
             std::shared_ptr<const attack::NetworkEvaluators> evaluators, std::shared_ptr<const program::Solver> solver,
             MilpOptions options);

  // The query must be about the same network. May be called by several threads at once.
  verdict::Verdict decide(const property::Query& query, const Limits& limits) const;

 private:
  std::shared_ptr<const bounds::BoundedNetwork> network_;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators_;
  std::shared_ptr<const program::Solver> solver_;
  MilpOptions options_;
};

}  // namespace plumb::milp
