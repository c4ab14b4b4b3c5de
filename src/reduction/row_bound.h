// row_bound.h: a rigorous lower bound on one row over a reduced network: the simple way, one row at a time.
//
// In:  a row; for each unit a slope in [0, 1] of its lower line, or a split decision with a multiplier >= 0.
// Out: a number that the row never goes below, over the part of the region where the decisions hold.
//
// Going back from the last unit: with coefficient v on r_k, an open unit passes m = slope v (v > 0, along its lower
// line) or m = s v (v < 0, along the upper line s z + t) to its row z_k; an active one m = v - multiplier, an inactive
// one m = multiplier. What is left is a row over u.
//
// Sound: for any slopes and multipliers. Rounding: |fl(v_k) - v_k| <= gamma(n) sum_j |m_j||B_jk|, whatever the order of
//        summation, and r_k <= upper(k); so all coefficients together move the value by at most
//        gamma(n) sum_j |m_j| size(j): one dot product, to which |m_j| error(j) is added. The m_j themselves are what
//        they are: any number between 0 and v (below v if active) is a valid choice.
#pragma once

#include <cstdint>
#include <span>

#include "reduction/reduced_network.h"

namespace plumb::reduction {

struct LooseRow {
  std::vector<Entry> inputs, units;
  double constant = 0, error = 0;
};

LooseRow loose_row(const ReducedNetwork& network, std::int64_t row, double factor = 1);  // factor 1 or -1
// The part of `size()` that a row has: the sum of its terms' magnitudes, rounded up.
double row_magnitude(const ReducedNetwork& network, const LooseRow& row);

enum class Split : std::int8_t { kInactive = -1, kOpen = 0, kActive = 1 };

// One entry a unit; empty for the default: slope 0 or 1 by area, nothing split, no multipliers, no cuts.
struct RelaxationChoice {
  std::span<const double> slope;
  std::span<const Split> split;
  std::span<const double> multiplier;
  // Where not null, r_k is at most this row (error 0), which takes the place of the upper line.
  std::span<const LooseRow* const> above;
};

// What one unit of |m_j| costs in rounding and in the row's own error, for sums of at most `terms` terms.
double row_price(const ReducedNetwork& network, std::int64_t row, std::int64_t terms);
// What products that underflow may lose in all.
double row_underflow(const ReducedNetwork& network, std::int64_t terms);

// The row is at least inputs . u + constant - error where the decisions hold: one number for each coordinate u.
struct AffineBound {
  std::vector<double> inputs;
  double constant = 0, error = 0;
};
AffineBound affine_lower_bound(const ReducedNetwork& network, const LooseRow& row, const RelaxationChoice& choice);

// Minus infinity if numbers become too large.
double lower_bound(const ReducedNetwork& network, const LooseRow& row, const RelaxationChoice& choice = {});

}  // namespace plumb::reduction
