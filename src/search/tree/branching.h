// branching.h: which unit to split: what a branching rule is asked, what is known, and what it may find out.
//
// A rule is asked twice about every subproblem that stays open. shortlist() is part of the work on a batch: it sees all
// undecided units, and may bound their children before it decides (LookAhead). choose() takes one branch of the
// shortlist once the whole round is bounded, when pseudo-costs include what the round has shown.
//
// Threads: shortlist() is called by several threads at once. Whatever a rule returns must depend on its arguments
// alone.
//          These are the same for any number of threads, and so is the search.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace plumb::search {

// What earlier splits gained, relative to their scores.
//
// Follows: pseudo-cost branching of mixed-integer programming (Achterberg et al. 2005).
class PseudoCosts {
 public:
  explicit PseudoCosts(std::int64_t units) : gain_{Gains(units), Gains(units)} {}

  // A child's bound rose by `rise` after a split with this score.
  void record(std::int64_t unit, bool active, double score, double rise);
  // The expected gain of a split, divided by its score.
  double rate(std::int64_t unit, bool active) const;

 private:
  struct Gains {
    explicit Gains(std::int64_t units)
        : sum(static_cast<std::size_t>(units), 0.0), count(static_cast<std::size_t>(units), 0.0) {}
    std::vector<double> sum, count;
    double total = 0, times = 0;
  };
  std::array<Gains, 2> gain_;
};

// An undecided unit, and what its relaxation looks like at the end of the subproblem's ascent. v is the coefficient of
// the unit's value r, and z its argument.
struct BranchCandidate {
  std::int32_t unit = 0;
  double paid = 0;       // what the upper line costs the bound: -v times its intercept, or 0 if v is positive
  double violation = 0;  // how far the relaxation's minimiser is from a true ReLU: |v| |r - relu(z)|
};

// A unit to split. PseudoCosts relates what the split gains to the score, which is up to the rule.
struct Branch {
  std::int32_t unit = -1;  // -1: every unit is decided
  double score = 0;
};

// Bounds of the functional over the two children that a split would make. Not rigorous.
struct ChildBounds {
  double active = 0, inactive = 0;
};

// Bounds children of one subproblem that do not exist yet.
class LookAhead {
 public:
  virtual ~LookAhead() = default;
  // One entry per unit, after `steps` steps of slope ascent from the subproblem's best choices. Two children per unit
  // are bounded together, one per lane, so it is best to ask for as many units as half a system's lanes. The work
  // counts against limits.
  virtual std::vector<ChildBounds> bound_children(std::span<const std::int32_t> units, int steps) = 0;
};

// About one subproblem.
struct BranchingQuestion {
  std::span<const BranchCandidate> candidates;  // all undecided units, in order; at least one
  double missing = 0;                           // how far the subproblem's bound is from being positive
  const PseudoCosts& costs;                     // of its functional, as they were before this round
  LookAhead& look_ahead;
};

class BranchingRule {
 public:
  virtual ~BranchingRule() = default;

  // The branches worth choosing among; at least one. A rule that has made up its mind returns a single one.
  virtual std::vector<Branch> shortlist(const BranchingQuestion& question) const = 0;
  // One of the shortlist. `missing` is as in the question, `costs` know about this round.
  virtual Branch choose(std::span<const Branch> shortlist, double missing, const PseudoCosts& costs) const = 0;
};

}  // namespace plumb::search
