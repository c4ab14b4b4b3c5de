// row_bound.h: a rigorous lower bound on a row over a reduced network, computed in the simplest way: one row at a time.
//
// In:  a row; for each unit a slope in [0, 1] of its lower line, or a split decision with a multiplier >= 0.
// Out: a lower bound on the row over the points of the region where the decisions hold.
//
// The pass goes from the last unit to the first. Let v be the coefficient of r_k. To its row z_k, the unit passes
//     m = slope v             if it is open and v > 0 (along its lower line),
//     m = s v                 if it is open and v < 0 (along its upper line s z + t),
//     m = v - multiplier      if it is active,
//     m = multiplier          if it is inactive.
// A row over u remains.
//
// Sound: for any slopes and multipliers. Rounding: |fl(v_k) - v_k| <= gamma(n) sum_j |m_j||B_jk|, whatever the order of
//        summation, and r_k <= upper(k). So all coefficients together change the value by at most
//        gamma(n) sum_j |m_j| magnitude(j), which is one dot product; |m_j| error(j) is added to it. Rounding in
//        m_j = slope v needs no error term: every value between 0 and v (every value up to v, if the unit is active)
//        gives a valid bound. row_price() covers the rounding of s v.
#pragma once

#include <cstdint>
#include <span>

#include "reduction/reduced_network.h"

namespace plumb::reduction {

// A row by itself, outside of a reduced network: a copy of one of its rows, or a cut, for example.
struct LooseRow {
  std::vector<Entry> inputs, units;
  double constant = 0, error = 0;
};

LooseRow loose_row(const ReducedNetwork& network, std::int64_t row, double factor = 1);  // factor 1 or -1
// ReducedNetwork::magnitude() of a loose row: the sum of its terms' magnitudes, rounded up.
double row_magnitude(const ReducedNetwork& network, const LooseRow& row);

enum class Split : std::int8_t { kInactive = -1, kOpen = 0, kActive = 1 };

// Each member has one entry per unit. Empty ones stand for the default: slope 0 or 1 by area, nothing split, no
// multipliers, no cuts.
struct RelaxationChoice {
  std::span<const double> slope;
  std::span<const Split> split;
  std::span<const double> multiplier;
  // If not nullptr, r_k is at most this row (error 0), which replaces the upper line.
  std::span<const LooseRow* const> above;
};

// The error that the row adds when m_j is 1: rounding, in sums of at most `terms` terms, and the row's own error.
double row_price(const ReducedNetwork& network, std::int64_t row, std::int64_t terms);
// A bound on the total effect of products that underflow.
double row_underflow(const ReducedNetwork& network, std::int64_t terms);

// Where the decisions hold, the row is at least inputs . u + constant - error. `inputs` has one number per coordinate.
struct AffineBound {
  std::vector<double> inputs;
  double constant = 0, error = 0;
};
AffineBound affine_lower_bound(const ReducedNetwork& network, const LooseRow& row, const RelaxationChoice& choice);

// Returns minus infinity if numbers become too large, and infinity if the region is certainly empty.
double lower_bound(const ReducedNetwork& network, const LooseRow& row, const RelaxationChoice& choice = {});

}  // namespace plumb::reduction
