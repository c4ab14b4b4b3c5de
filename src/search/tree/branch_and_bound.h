// branch_and_bound.h: proves functionals positive over a region by splitting undecided units, or finds a witness.
//
// In:  the rows of a region (lane_system.h), functionals to be shown positive, and the subproblems in which that is
//      still to be shown.
// Out: kClosed: all functionals are proven positive; kWitness: there is a witness; kLimit: a limit was reached;
//      kTooManySubproblems: the tree is larger than the options allow; kOpenLeaves: the search is complete, but some
//      leaves are so close to zero that rounding leaves them with neither a proof nor a witness.
//
// The subproblems of all functionals share one queue, worst bound first. Each round takes the worst ones, splits them,
// and bounds the children in batches (subproblem_batch.h), starting from their parent's choices. Bounds of the search
// are computed in T, usually float, and prove nothing. A subproblem is closed only by a rigorous proof: by the same
// choices, evaluated by `proof` in double with all rounding errors accounted for, by a linear program (below), or by a
// range that is empty.
//
// Threads: the batches of a round are worked on at the same time. Their number depends only on the queue, and their
//          results are used in a fixed order. So the search is the same for any number of threads.
//
// Where a bound stays just below zero, more steps of ascent or more digits than float has might close the subproblem. A
// linear program then proves the bound itself, or finds the best choices for the proof.
//
// Follows: beta-CROWN (Wang et al. 2021), on the reduced network.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "base/limits.h"
#include "base/numbers.h"
#include "events/events.h"
#include "search/tree/lane_attack.h"
#include "search/tree/pseudo_cost_branching.h"
#include "search/tree/subproblem_batch.h"
#include "search/tree/tree_memory.h"

namespace plumb::search {

struct SearchOptions {
  lanes::AscentOptions root = {.steps = 30, .slope_rate = 0.3};
  lanes::AscentOptions child = {.steps = 5, .slope_rate = 0.2};
  std::shared_ptr<const BranchingRule> branching = pseudo_cost_branching();
  int attack_steps = 12;                       // of descents from minimisers, inside the search; negative: no attack
  const lanes::UnitRows* unit_rows = nullptr;  // nullptr: ranges of units are not narrowed
  int root_narrowing_rounds = 5, child_narrowing_rounds = 1;
  // A tree ends at `most_subproblems`, but one that is near its end (SearchCounts::is_near) only at `most_when_near`,
  // if that is larger.
  std::int64_t most_subproblems = std::numeric_limits<std::int64_t>::max();
  std::int64_t most_when_near = 0;
  std::int64_t queue_bytes = 1 << 30;   // beyond this, subproblems drop their choices and the search goes depth first
  TreeMemory* shared_memory = nullptr;  // if this memory is short, the search does the same; nullptr: nothing is shared
  int threads = 1;                      // 0: one per core
};

enum class SearchEnd { kClosed, kWitness, kLimit, kTooManySubproblems, kOpenLeaves };

struct SearchCounts {
  std::int64_t subproblems = 0;  // bounded
  std::int64_t closed = 0, open_leaves = 0;
  double fraction_closed = 0;  // of the tree: a subproblem at depth d counts 2^-d; functionals count equally
  double worst_bound = 0;      // of the subproblems that are still open, not rigorous
  bool is_near = false;        // the worst bound has come most of the way from that of the roots to zero
};

// The exact solution of a subproblem, or of its relaxation if units are open.
struct SubproblemAnswer {
  bool witness = false;
  double bound = -kInfinity;            // proven
  std::optional<ProofChoices> choices;  // for a proof that is still to be tried
  ProgramProof proof;                   // of a positive bound
};
// `found` holds the choices that the ascent ended with. Returns nullopt if there is no solver.
using SolveSubproblem =
    std::function<std::optional<SubproblemAnswer>(const Subproblem& subproblem, const ProofChoices& found)>;

template <class T>
class BranchAndBound {
 public:
  // `proof` has the same rows as `system`.
  BranchAndBound(const lanes::LaneSystem<T>& system, const lanes::LaneSystem<double>& proof,
                 std::vector<TreeTarget> tree_targets, const SearchOptions& options, Budget& budget, TryPoint try_point,
                 SolveSubproblem solve_subproblem, events::EventSink& events);

  SearchEnd run(std::vector<Subproblem> roots);
  // The subproblems that run() left open, for each functional in the order given. Every point at which a
  // functional might fail to be positive lies in one of its subproblems. Their starting choices, which take most of
  // their memory, are dropped.
  std::vector<std::vector<Subproblem>> take_open();
  const SearchCounts& counts() const { return counts_; }

 private:
  static constexpr double kFirstReach = 16, kFirstPatience = 3;

  void start(std::vector<Subproblem> roots);
  bool has_grown() const;
  bool is_near() const;
  std::size_t batches_wanted() const;
  std::vector<Subproblem> children_of_worst();
  SubproblemBatch<T>& batch(std::size_t b);
  int next_attack_steps();
  void work_on(std::size_t batches, const std::vector<SubproblemBatchOptions>& options);
  bool found_witness(const SubproblemBatch<T>& batch);
  void settle(SubproblemBatch<T>& batch);
  Branch choose_branch(SubproblemBatch<T>& batch, std::int64_t lane) const;
  bool is_worth_a_program(const Subproblem& subproblem) const;
  bool closed_by_program(SubproblemBatch<T>& batch, std::int64_t lane);
  void close(SubproblemBatch<T>& batch, std::int64_t lane);
  void report_closed(const Subproblem& subproblem, const SubproblemAnswer& answer);
  void push(SubproblemBatch<T>& batch, std::int64_t lane);
  std::int64_t queue_bytes() const;
  bool memory_is_short() const;
  void count_closed(const Subproblem& subproblem);
  double share_of_tree(const Subproblem& subproblem) const;

  const lanes::LaneSystem<T>& system_;
  const lanes::LaneSystem<double>& proof_;
  std::vector<TreeTarget> tree_targets_;
  SearchOptions options_;
  Budget& budget_;
  TryPoint try_point_;
  SolveSubproblem solve_subproblem_;
  events::EventSink& events_;

  std::vector<std::unique_ptr<SubproblemBatch<T>>> batches_;  // as many as the largest round had
  std::vector<PseudoCosts> costs_;                            // of each functional
  std::vector<Subproblem> queue_;                             // a heap, worst first
  TreeMemory::Share shared_memory_;
  std::vector<Subproblem> open_leaves_;
  std::int64_t bounded_batches_ = 0;
  double root_bound_ = 0;               // the worst one
  double program_reach_ = kFirstReach;  // programs are tried for bounds above -program_reach_ * tolerance
  double patience_ = kFirstPatience;    // and after so many splits that have not raised the bound
  std::int64_t tree_work_ = 0;          // of bounding
  std::int64_t program_work_ = 0;       // of programs of subproblems that could be split
  bool witness_ = false;
  SearchCounts counts_;
};

extern template class BranchAndBound<float>;
extern template class BranchAndBound<double>;

}  // namespace plumb::search
