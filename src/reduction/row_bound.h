// row_bound.h: a rigorous lower bound on a row over a reduced network, computed in the simplest way: one row at a time.
//
// In:  a row over the coordinates u and the values r of a reduced network's units (reduced_network.h); for each unit a
//      slope in [0, 1] of its lower line, or a split decision with a multiplier >= 0.
// Out: a lower bound on the row over the points of the region where the decisions hold. Without decisions that is the
//      whole region.
//
// Unit k has the argument z_k = A_k u + B_k r + c_k and the value r_k = relu(z_k). Its upper line is r_k <= s_k z_k +
// t_k (lines() of the network). The pass goes from the last unit to the first. Let v_k be the coefficient of r_k when
// the pass arrives at unit k. The unit replaces v_k r_k by m_k z_k plus a constant, where
//     m_k = slope_k v_k            if it is open and v_k > 0 (along its lower line; the constant is 0),
//     m_k = s_k v_k                if it is open and v_k < 0 (along its upper line; the constant is v_k t_k),
//     m_k = v_k - multiplier_k     if it is active (z_k >= 0 is assumed; the constant is 0),
//     m_k = multiplier_k           if it is inactive (z_k <= 0 is assumed; the constant is 0),
// and m_k z_k is written out by the unit's row, over u and earlier units. In the end a row over u remains, which is
// minimised over the region.
//
// Sound: for any slopes and multipliers: slopes are clamped to [0, 1], and negative multipliers count as 0. Rounding:
//        |fl(v_k) - v_k| <= gamma(n) sum_j |m_j||B_jk|, where j runs over the later units, B_jk is the coefficient of
//        r_k in row j, and n is the number of terms of the longest sum, whatever the order of summation; and
//        r_k <= upper(k). So all coefficients together change the value by at most gamma(n) sum_j |m_j| magnitude(j),
//        which is one dot product; |m_j| error(j) is added to it. Rounding in m_j = slope_j v_j needs no error term:
//        every value between 0 and v_j (every value up to v_j, if the unit is active) gives a valid bound. row_price()
//        covers the rounding of s_j v_j.
// Threads: functions without state. Spans need to live during the call only.
#pragma once

#include <cstdint>
#include <span>

#include "reduction/reduced_network.h"

namespace plumb::reduction {

// A row by itself, outside of a reduced network: a copy of one of its rows, or a cut, for example. Columns of `inputs`
// are numbers of coordinates, columns of `units` numbers of units. The row's true value differs from
// inputs . u + units . r + constant by at most `error`.
struct LooseRow {
  std::vector<Entry> inputs, units;
  double constant = 0, error = 0;
};

// A copy of factor times row number `row`. Rows of units come first, then rows of functionals. The factor is 1 or -1.
LooseRow loose_row(const ReducedNetwork& network, std::int64_t row, double factor = 1);
// ReducedNetwork::magnitude() of a loose row: the sum of its terms' magnitudes, rounded up.
double row_magnitude(const ReducedNetwork& network, const LooseRow& row);

enum class Split : std::int8_t { kInactive = -1, kOpen = 0, kActive = 1 };

// Each member has one entry per unit of the network, or is empty, which stands for the default.
struct RelaxationChoice {
  std::span<const double> slope;       // of open units; default: the network's lower lines, 0 or 1 by area
  std::span<const Split> split;        // default: all units are open
  std::span<const double> multiplier;  // of units that are not open; default: 0
  // For open units. If the entry of unit k is not nullptr, r_k is at most this row, which replaces the upper line. The
  // row must be over coordinates and units before k only: terms over later units would be lost. Default: no such rows.
  std::span<const LooseRow* const> above;
  // Lines of the units that hold at all points in question. Default: lines() of the network.
  const bounds::Lines* lines = nullptr;
};

// The error that row number `row` adds when its coefficient m is 1: rounding, in sums of at most `terms` terms, and the
// row's own error.
double row_price(const ReducedNetwork& network, std::int64_t row, std::int64_t terms);
// A bound on the total effect of products that underflow.
double row_underflow(const ReducedNetwork& network, std::int64_t terms);

// Where the decisions hold, the row is at least inputs . u + constant - error. After an overflow these numbers are
// infinite or NaN, and there is no bound.
struct AffineBound {
  // space().all_coordinates() numbers. Coordinates are numbered as in the network's rows; the numbers from
  // space().size() on are 0.
  std::vector<double> inputs;
  double constant = 0, error = 0;
};
AffineBound affine_lower_bound(const ReducedNetwork& network, const LooseRow& row, const RelaxationChoice& choice);

// The bound that follows from affine_lower_bound(). Returns minus infinity if numbers become too large, and infinity if
// the region is certainly empty.
double lower_bound(const ReducedNetwork& network, const LooseRow& row, const RelaxationChoice& choice = {});

}  // namespace plumb::reduction
