// branching.h: which unit to split.
//
// A unit's score is what the bound pays for its relaxation: -v_k times the intercept of its upper line, for a negative
// coefficient v_k of its value. (How far the relaxation's minimiser is from a true ReLU, |v_k| |r_k - relu(z_k)|, makes
// trees a third larger.) Scores are weighted by pseudo-costs: what splits on the same unit gained before, for each unit
// of score.
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
  // What a unit of score is expected to gain.
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

// The units of highest score, highest first, of the subproblem in a lane, after forward(). None: every unit is decided.
template <class T>
std::vector<Branch> promising_branches(const lanes::LaneSystem<T>& system, const lanes::Lanes<T>& lanes,
                                       std::int64_t lane);

// One of these, by what splits gained so far. `missing` is how far the subproblem's bound is from being positive.
Branch choose_branch(const std::vector<Branch>& promising, double missing, const PseudoCosts& costs);

extern template std::vector<Branch> promising_branches(const lanes::LaneSystem<float>&, const lanes::Lanes<float>&,
                                                       std::int64_t);
extern template std::vector<Branch> promising_branches(const lanes::LaneSystem<double>&, const lanes::Lanes<double>&,
                                                       std::int64_t);

}  // namespace plumb::search
