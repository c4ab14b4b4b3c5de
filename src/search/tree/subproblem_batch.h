// subproblem_batch.h: subproblems that are bounded together, one per lane.
//
// In:  subproblems, each with the choices that it starts from.
// Out: for each subproblem a bound, the choices that gave it, whether these prove it closed, and a shortlist of units
//      to split; points that look unsafe, from the minimisers of the relaxations.
//
// The bounds come from a few steps of slope ascent, in T, and prove nothing. A subproblem counts as proven only if the
// same choices, evaluated in double with all rounding errors, prove it.
//
// Use:   batch.take(subproblems);        batch.work(options);
//        for each lane < batch.size():   read the results; try batch.prove() with choices from elsewhere
// Order: everything else is about the last work() on the last take(), and means nothing before it. Subproblem number i
//        of take() is in lane i. A batch is made once and used for many takes.
// At a limit (of options.ascent.budget): the ascent stops early, after at least one bound per lane, and so do the
//        narrowing of ranges and the search for points. What is known by then is proven and listed as usual.
// Threads: work() changes nothing but the batch, so several batches can be worked on at the same time, with the same
//        results. Meanwhile nobody may change what the constructor was given, among it `costs`.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lanes/lane_system.h"
#include "search/leaf/subproblem_program.h"
#include "search/tree/branching.h"
#include "search/tree/look_ahead.h"
#include "search/tree/subproblem.h"

namespace plumb::search {

// A functional that is to be shown positive wherever the constraints are at most zero.
struct TreeTarget {
  struct Constraint {
    std::int64_t number = 0;      // among the system's constraints
    std::int64_t functional = 0;  // its number among the functionals, without units() added
  };
  std::int64_t functional = 0;  // its row in the system: units() + its number among the functionals
  double factor = 1;            // 1, or -1 for the negated functional
  std::vector<Constraint> constraints;
  double tolerance = 0;  // how far above zero the search's bound must be before a proof is tried
};

// The choices of a proof, as they were evaluated: slopes and multipliers per unit, weights per cut, and constraint
// multipliers per constraint of the system (those of other targets' constraints do not count).
struct SubproblemProof {
  std::vector<double> slope, multiplier, weight, constraint_multiplier;
  double bound = 0;  // proven; positive, unless it is that of a narrowing or of an open subproblem
  std::vector<std::uint8_t> on_upper_line = {};  // as listeners hear it (events::Closing)
};

// Narrower ranges of units at the unsafe points of a subproblem, and the choices that they rest on.
struct SubproblemNarrowing {
  SubproblemProof choices;
  std::vector<lanes::NarrowedEnd> ends;
};

struct SubproblemBatchOptions {
  lanes::AscentOptions ascent;  // the batch sets `lanes` and `target` itself
  int attack_steps = -1;  // of descents from the minimisers; 0: only the minimisers are evaluated; negative: no attack
  bool keep_proofs = false;  // so that they can be reported; without it, nothing can be reported
  // Narrows the ranges of units by the target's own inequality, in rounds that are followed by an ascent each.
  const lanes::UnitRows* unit_rows = nullptr;  // nullptr: nothing is narrowed
  int narrowing_rounds = 0;
};

template <class T>
class SubproblemBatch {
 public:
  // Keeps references to all arguments. `proof` has the same rows, cuts and constraints as `system`. `costs` has one
  // entry per tree target. Subproblem::target is a position in `tree_targets`.
  SubproblemBatch(const lanes::LaneSystem<T>& system, const lanes::LaneSystem<double>& proof,
                  const std::vector<TreeTarget>& tree_targets, const BranchingRule& rule,
                  const std::vector<PseudoCosts>& costs);
  // About how much memory one batch takes.
  static std::int64_t bytes(const lanes::LaneSystem<T>& system);

  // At least one subproblem, and at most as many as the system has lanes.
  void take(std::vector<Subproblem> subproblems) { subproblems_ = std::move(subproblems); }
  void work(const SubproblemBatchOptions& options);

  // How many subproblems were taken.
  std::int64_t size() const { return static_cast<std::int64_t>(subproblems_.size()); }
  // The subproblem, with the larger of its bound before and after the ascent, and with the step length (`rate`) for its
  // children. Its starting choices stay those that it came with.
  Subproblem& subproblem(std::int64_t lane) { return subproblems_[static_cast<std::size_t>(lane)]; }
  // The best bound of the ascent, and the bound that the subproblem came with: that of its parent, minus infinity for a
  // root. The former may be lower. Neither is rigorous.
  double bound(std::int64_t lane) const { return static_cast<double>(ascent_.bound[static_cast<std::size_t>(lane)]); }
  double bound_before(std::int64_t lane) const { return bound_before_[static_cast<std::size_t>(lane)]; }
  // Whether work() or prove() has proven the subproblem closed.
  bool is_proven(std::int64_t lane) const { return proven_[static_cast<std::size_t>(lane)]; }
  // If options.keep_proofs was set: the proof of a proven subproblem, or of the bound that proven_bounds() returned.
  const SubproblemProof& proof(std::int64_t lane) const { return proofs_[static_cast<std::size_t>(lane)]; }
  // If options.keep_proofs was set: the narrowings that work() made, in their order. Each rests on those before it.
  std::span<const SubproblemNarrowing> narrowings(std::int64_t lane) const {
    return narrowings_[static_cast<std::size_t>(lane)];
  }
  // Whether the subproblem is proven because its ranges contradict each other or a decision. There is no proof() then.
  bool is_empty(std::int64_t lane) const { return empty_[static_cast<std::size_t>(lane)]; }
  // Records what the split gained that made this subproblem, which must not be a root. `costs` has one entry per tree
  // target.
  void learn(std::int64_t lane, std::vector<PseudoCosts>& costs) const;
  // How far the subproblem's bound is from being positive; 0 if it is positive.
  double missing(std::int64_t lane) const { return std::max(0.0, -subproblems_[static_cast<std::size_t>(lane)].bound); }
  // The units to choose among. Empty if every unit is decided, by splitting or by its range, or if work() has proven
  // the subproblem. Valid until the next work().
  std::span<const Branch> shortlist(std::int64_t lane) const { return shortlists_[static_cast<std::size_t>(lane)]; }
  // Points of all lanes at which the functional is not positive, evaluated in T: coordinates u, one per input of the
  // system. Whether they are witnesses is not checked. Empty without an attack.
  const std::vector<std::vector<double>>& points() const { return points_; }
  // Multiplications since the last call, those of prove() included.
  std::int64_t take_cost() { return std::exchange(cost_, 0); }

  // The choices of the best bound that the ascent met, not those of its last step; or those of prove(), where they were
  // better. found_choices() clamps them to their valid ranges, leaves out the weights of cuts, and has one constraint
  // multiplier per constraint of the subproblem's target. best_choices() has all of them, in float, with one constraint
  // multiplier per constraint of the system, as Subproblem::start of the children needs them.
  ProofChoices found_choices(std::int64_t lane) const;
  std::shared_ptr<const Choices> best_choices(std::int64_t lane) const;
  // Whether these choices close the subproblem; is_proven() reports it afterwards. They have the form of
  // found_choices() and must lie in their valid ranges: slopes in [0, 1], multipliers >= 0. All cuts get weight 0. If
  // the choices do not close the subproblem, but give a better bound than the ascent, they replace the best choices,
  // and the bound of subproblem(lane) is raised. bound(lane) and the shortlist stay as they are.
  bool prove(std::int64_t lane, const ProofChoices& choices);
  // The rigorous bounds that the best choices give, one per subproblem. Where ranges have been narrowed, each holds at
  // the points where its functional is not positive.
  std::vector<double> proven_bounds();

 private:
  void put(const Subproblem& subproblem, std::int64_t lane);
  template <class Real>
  void ask(const lanes::LaneSystem<Real>& system, lanes::Lanes<Real>& lanes, std::vector<std::int32_t>& asked,
           std::int64_t lane, std::int32_t target) const;
  void ascend_together(const SubproblemBatchOptions& options);
  bool narrow_ranges(const lanes::UnitRows& rows);
  bool narrow_range_of(std::int64_t lane, std::int64_t proof_lane, const lanes::UnitRows& rows);
  void use_range(std::int64_t unit, std::int64_t lane, const lanes::UnitRanges& ranges);
  void start_from_best();
  void look_for_points(int steps);
  void prove_promising();
  template <class Use>
  void evaluate_proofs(std::span<const std::int64_t> lanes, const Use& use);
  void put_proof(std::int64_t from, std::int64_t proof_lane);
  void put_proof_unit(std::int64_t unit, std::int64_t from, std::int64_t to);
  void keep_proof(std::int64_t lane, std::int64_t proof_lane);
  SubproblemProof proof_of(std::int64_t proof_lane) const;
  void keep_choices(std::int64_t lane, const ProofChoices& choices);
  void make_shortlist(std::int64_t lane, const lanes::AscentOptions& options);
  void list_candidates(std::int64_t lane);

  const lanes::LaneSystem<T>& system_;
  const lanes::LaneSystem<double>& proof_system_;
  const std::vector<TreeTarget>& tree_targets_;
  const BranchingRule& rule_;
  const std::vector<PseudoCosts>& costs_;
  bool keep_proofs_ = false;
  const Budget* budget_ = nullptr;  // of the present work()

  lanes::Lanes<T> lanes_;
  std::vector<std::int32_t> asked_;  // the target that each lane asks about
  lanes::LaneTable<T> default_slope_, default_upper_slope_, default_upper_intercept_;
  lanes::Ascent<T> ascent_;
  lanes::Lanes<double> proof_lanes_;
  std::vector<double> proof_upper_slope_, proof_upper_intercept_;  // of the units over the whole piece
  std::vector<std::int32_t> proof_asked_;
  lanes::Lanes<T> attack_lanes_;

  lanes::TargetInequality inequality_;  // of one subproblem at a time
  std::vector<Subproblem> subproblems_;
  std::vector<bool> empty_;  // whether its ranges show that a subproblem contains no unsafe point
  std::vector<double> bound_before_;
  std::vector<bool> proven_;
  std::vector<SubproblemProof> proofs_;
  std::vector<std::vector<SubproblemNarrowing>> narrowings_;
  LaneLookAhead<T> look_ahead_;
  std::vector<BranchCandidate> candidates_;  // of one subproblem at a time
  std::vector<std::vector<Branch>> shortlists_;
  std::vector<std::vector<double>> points_;
  std::int64_t cost_ = 0;
};

extern template class SubproblemBatch<float>;
extern template class SubproblemBatch<double>;

}  // namespace plumb::search
