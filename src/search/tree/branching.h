// branching.h: which unit to split.
//
// A unit's score is what its relaxation costs the bound: -v_k times the intercept of its upper line, if the coefficient
// v_k of its value is negative. (The distance of the relaxation's minimiser from a true ReLU, |v_k| |r_k - relu(z_k)|,
// makes trees a third larger.) Scores are weighted by pseudo-costs: what earlier splits of the same unit gained,
// relative to their score.
//
// Follows: pseudo-cost branching of mixed-integer programming (Achterberg et al. 2005).
#pragma once

#include <array>
#include <vector>

#include "lanes/lane_system.h"

namespace plumb::search {

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

struct Branch {
  std::int32_t unit = -1;  // -1: every unit is decided
  double score = 0;
};

// The units of highest score in a lane's subproblem, highest first, from what backward() and forward() stored in the
// lanes. Empty if every unit is decided.
template <class T>
std::vector<Branch> promising_branches(const lanes::LaneSystem<T>& system, const lanes::Lanes<T>& lanes,
                                       std::int64_t lane);

// Chooses one of these by what earlier splits gained. `missing` is how far the subproblem's bound is from being
// positive.
Branch choose_branch(const std::vector<Branch>& promising, double missing, const PseudoCosts& costs);

extern template std::vector<Branch> promising_branches(const lanes::LaneSystem<float>&, const lanes::Lanes<float>&,
                                                       std::int64_t);
extern template std::vector<Branch> promising_branches(const lanes::LaneSystem<double>&, const lanes::Lanes<double>&,
                                                       std::int64_t);

}  // namespace plumb::search
