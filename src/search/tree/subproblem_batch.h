// subproblem_batch.h: subproblems that are bounded together, one per lane.
//
// In:  subproblems, each with the choices that it starts from.
// Out: for each subproblem a bound, the choices that gave it, whether these prove it closed, and a shortlist of units
//      to split; points that look unsafe, from the minimisers of the relaxations.
//
// The bounds come from a few steps of slope ascent, in float, and prove nothing. A subproblem counts as proven only if
// the same choices, evaluated in double with all rounding errors, prove it.
//
// Threads: a batch changes nothing but itself, so several can be worked on at the same time with the same results.
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
    std::int64_t functional = 0;  // its number among the functionals
  };
  std::int64_t functional = 0;  // a row of the system
  std::vector<Constraint> constraints;
  double tolerance = 0;  // how far above zero the search's bound must be before a proof is tried
};

// The choices of a proof, as they were evaluated: per unit, per cut, and per constraint of the system.
struct SubproblemProof {
  std::vector<double> slope, multiplier, weight, constraint_multiplier;
  double bound = 0;
};

struct SubproblemBatchOptions {
  lanes::AscentOptions ascent;
  int attack_steps = -1;  // of descents from the minimisers; 0: only the minimisers are evaluated; negative: no attack
  bool keep_proofs = false;  // so that they can be reported
};

template <class T>
class SubproblemBatch {
 public:
  // Keeps references. `proof` has the same rows as `system`. `costs` has one entry per tree target.
  SubproblemBatch(const lanes::LaneSystem<T>& system, const lanes::LaneSystem<double>& proof,
                  const std::vector<TreeTarget>& tree_targets, const BranchingRule& rule,
                  const std::vector<PseudoCosts>& costs);
  // About how much memory one batch takes.
  static std::int64_t bytes(const lanes::LaneSystem<T>& system);

  // At most as many as the system has lanes.
  void take(std::vector<Subproblem> subproblems) { subproblems_ = std::move(subproblems); }
  void work(const SubproblemBatchOptions& options);

  std::int64_t size() const { return static_cast<std::int64_t>(subproblems_.size()); }
  Subproblem& subproblem(std::int64_t lane) { return subproblems_[static_cast<std::size_t>(lane)]; }
  // The best bound of the ascent, and the bound of the parent.
  double bound(std::int64_t lane) const { return static_cast<double>(ascent_.bound[static_cast<std::size_t>(lane)]); }
  double bound_before(std::int64_t lane) const { return bound_before_[static_cast<std::size_t>(lane)]; }
  bool is_proven(std::int64_t lane) const { return proven_[static_cast<std::size_t>(lane)]; }
  const SubproblemProof& proof(std::int64_t lane) const { return proofs_[static_cast<std::size_t>(lane)]; }
  // How far the subproblem's bound is from being positive.
  double missing(std::int64_t lane) const { return std::max(0.0, -subproblems_[static_cast<std::size_t>(lane)].bound); }
  // The units to choose among. Empty if every unit is decided, or if the subproblem is proven.
  std::span<const Branch> shortlist(std::int64_t lane) const { return shortlists_[static_cast<std::size_t>(lane)]; }
  const std::vector<std::vector<double>>& points() const { return points_; }
  // Multiplications since the last call.
  std::int64_t take_cost() { return std::exchange(cost_, 0); }

  // The choices that the ascent ended with.
  ProofChoices found_choices(std::int64_t lane) const;
  std::shared_ptr<const Choices> best_choices(std::int64_t lane) const;
  // Whether these choices close the subproblem. If they do not, but give a better bound than the ascent, the children
  // start from them.
  bool prove(std::int64_t lane, const ProofChoices& choices);

 private:
  void put(const Subproblem& subproblem, std::int64_t lane);
  template <class Real>
  void ask(const lanes::LaneSystem<Real>& system, lanes::Lanes<Real>& lanes, std::vector<std::int32_t>& asked,
           std::int64_t lane, std::int32_t target) const;
  void ascend_together(const lanes::AscentOptions& options);
  void look_for_points(int steps);
  void prove_promising();
  void put_proof(std::int64_t from, std::int64_t proof_lane);
  void keep_proof(std::int64_t lane, std::int64_t proof_lane);
  void keep_choices(std::int64_t lane, const ProofChoices& choices);
  void make_shortlist(std::int64_t lane, const lanes::AscentOptions& options);
  void list_candidates(std::int64_t lane);

  const lanes::LaneSystem<T>& system_;
  const lanes::LaneSystem<double>& proof_system_;
  const std::vector<TreeTarget>& tree_targets_;
  const BranchingRule& rule_;
  const std::vector<PseudoCosts>& costs_;
  bool keep_proofs_ = false;

  lanes::Lanes<T> lanes_;
  std::vector<std::int32_t> asked_;  // the target that each lane asks about
  lanes::LaneTable<T> default_slope_;
  lanes::Ascent<T> ascent_;
  lanes::Lanes<double> proof_lanes_;
  std::vector<std::int32_t> proof_asked_;
  lanes::Lanes<T> attack_lanes_;

  std::vector<Subproblem> subproblems_;
  std::vector<double> bound_before_;
  std::vector<bool> proven_;
  std::vector<SubproblemProof> proofs_;
  LaneLookAhead<T> look_ahead_;
  std::vector<BranchCandidate> candidates_;  // of one subproblem at a time
  std::vector<std::vector<Branch>> shortlists_;
  std::vector<std::vector<double>> points_;
  std::int64_t cost_ = 0;
};

extern template class SubproblemBatch<float>;
extern template class SubproblemBatch<double>;

}  // namespace plumb::search
