// branch_and_bound.h: shows that functionals are positive over a region by splitting undecided units, or finds a
// witness.
//
// In:  the rows of a region (lane_system.h), and functionals to be shown positive.
// Out: kClosed: all of them are, proven; kWitness; kLimit; kTooManySubproblems: the tree has outgrown the options;
//      kOpenLeaves: everything was searched, but some subproblems with nothing left to split were neither proven nor
//      refuted, within rounding.
//
// Subproblems of all functionals share one queue, worst bound first. Each round takes the worst, splits them, and
// bounds the children together, one in each lane, by a few steps of slope ascent from their parent's choices. Bounds of
// the search are in float and prove nothing: a subproblem is closed only by the same choices evaluated in double with
// all rounding errors (`proof`).
//
// Where a bound stays just below zero, the ascent's few steps and float's few digits are what is missing: a linear
// program then gives the best choices.
//
// Follows: beta-CROWN (Wang et al. 2021), on the reduced network.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "base/limits.h"
#include "reduction/slope_ascent.h"
#include "search/branching.h"
#include "search/events.h"
#include "search/lane_attack.h"
#include "search/node_program.h"
#include "search/subproblem.h"

namespace plumb {

struct SearchOptions {
  AscentOptions root = {.steps = 30, .slope_rate = 0.3};
  AscentOptions node = {.steps = 5, .slope_rate = 0.2};
  int attack_steps = 12;  // of descents from minimisers inside the search
  std::int64_t most_subproblems = std::numeric_limits<std::int64_t>::max();
  std::int64_t queue_bytes = 1 << 30;  // beyond this, subproblems forget their choices and the search goes depth first
};

enum class SearchEnd { kClosed, kWitness, kLimit, kTooManySubproblems, kOpenLeaves };

struct SearchCounts {
  std::int64_t subproblems = 0;  // bounded
  std::int64_t closed = 0, open_leaves = 0;
  double fraction_closed = 0;  // of the tree: a subproblem at depth d counts 2^-d, functionals alike
  double worst_bound = 0;      // of what is still open, not rigorous
};

// What an exact solution of a subproblem (or of its relaxation, where units are open) tells. Nothing: no solver.
struct NodeAnswer {
  bool witness = false;
  double bound = -std::numeric_limits<double>::infinity();  // proven
  std::optional<ProofChoices> choices;                      // to be proven
};
// `found` are the choices that the ascent ended with.
using SolveNode = std::function<std::optional<NodeAnswer>(const Subproblem& subproblem, const ProofChoices& found)>;

// A functional that is to be shown positive wherever the constraints are at most zero.
struct Goal {
  std::int64_t functional = 0;            // a row of the system
  std::vector<std::int64_t> constraints;  // which of the system's constraints
  double tolerance = 0;                   // how far above zero the search's bound must be before a proof is tried
};

template <class T>
class BranchAndBound {
 public:
  // `proof` has the same rows as `system`.
  BranchAndBound(const LaneSystem<T>& system, const LaneSystem<double>& proof, std::vector<Goal> goals,
                 const SearchOptions& options, Budget& budget, TryPoint try_point, SolveNode solve_node,
                 EventSink& events);

  // `start` is what the roots start from; null: the defaults.
  SearchEnd run(std::shared_ptr<const Choices> start);
  // Functionals that still have open subproblems, in the order given.
  std::vector<std::size_t> open_targets() const;
  const SearchCounts& counts() const { return counts_; }

 private:
  static constexpr double kFirstReach = 16;

  void start(const std::shared_ptr<const Choices>& start);
  std::vector<Subproblem> children_of_worst();
  void bound(std::vector<Subproblem>& batch, const AscentOptions& options);
  void put(const Subproblem& subproblem, std::int64_t lane);
  template <class Real>
  void ask(const LaneSystem<Real>& system, Lanes<Real>& lanes, std::vector<std::int32_t>& asked, std::int64_t lane,
           std::int32_t target) const;
  void learn(const std::vector<Subproblem>& children, const std::vector<double>& parent_bounds);
  bool found_witness(std::int64_t count);
  void settle(std::vector<Subproblem>& batch);
  std::vector<bool> prove(const std::vector<Subproblem>& batch, const std::vector<std::int64_t>& lanes);
  bool is_within_reach_of_a_program(const Subproblem& subproblem) const;
  bool closed_by_program(Subproblem& subproblem, std::int64_t lane);
  void keep_choices(const ProofChoices& choices, Subproblem& subproblem, std::int64_t lane);
  ProofChoices found_choices(const Subproblem& subproblem, std::int64_t lane) const;
  bool prove(const Subproblem& subproblem, std::int64_t lane, const ProofChoices& choices);
  void report_closed(const Subproblem& subproblem, std::int64_t proof_lane);
  void push(Subproblem subproblem, std::int64_t lane);
  std::shared_ptr<const Choices> best_choices(std::int64_t lane) const;
  void count_closed(const Subproblem& subproblem);

  const LaneSystem<T>& system_;
  const LaneSystem<double>& proof_;
  std::vector<Goal> goals_;
  SearchOptions options_;
  Budget& budget_;
  TryPoint try_point_;
  SolveNode solve_node_;
  EventSink& events_;

  Lanes<T> lanes_;
  std::vector<std::int32_t> asked_;  // the target that each lane asks about
  LaneTable<T> default_slope_;
  Ascent<T> ascent_;
  Lanes<double> proof_lanes_;
  std::vector<std::int32_t> proof_asked_;
  Lanes<T> attack_lanes_;
  std::vector<PseudoCosts> costs_;  // of each functional
  std::vector<Subproblem> queue_;   // a heap, worst first
  std::int64_t rounds_ = 0;
  double program_reach_ = kFirstReach;  // how far below zero a bound may be for a program to be tried, in tolerances
  bool witness_ = false;
  SearchCounts counts_;
};

extern template class BranchAndBound<float>;
extern template class BranchAndBound<double>;

}  // namespace plumb
