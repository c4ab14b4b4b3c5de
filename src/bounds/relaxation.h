// relaxation.h: straight lines below and above ReLU and maximum, valid for any choice of slopes.
//
// ReLU on [l, u]: alpha x <= relu(x) for any alpha in [0, 1]; relu(x) <= s x + t for any s in [0, 1] with
// t = max(-s l, u - s u), because relu is convex and the line lies above it at both ends. Any floating-point slope is
// valid; only the intercept must be rounded up.
#pragma once

#include <span>
#include <vector>

#include "network/op.h"

namespace plumb::bounds {

struct Lines {
  std::vector<double> lower_slope;  // the lower line has no intercept
  std::vector<double> upper_slope, upper_intercept;
};

// One pair of lines per unit. The lower slope is 0 or 1, whichever leaves the smaller area between the lines.
Lines relu_lines(std::span<const double> lower, std::span<const double> upper);

// The members of a maximum that may be the largest (proposition 1 of the paper): first the leader, which has the
// largest lower bound, then, in their order, the others whose upper bounds are above that. Each is listed once, so the
// maximum is decided if there is only one.
std::vector<std::int64_t> possible_winners(std::span<const std::int32_t> members, std::span<const double> lower,
                                           std::span<const double> upper);

// The lines of a maximum whose members have known bounds. Only possible winners have slopes.
struct MaximumLines {
  std::int64_t lower_member = 0;  // y >= x_member: the one with the largest lower bound
  // y <= sum_m slope_m x_m + intercept
  std::vector<std::int64_t> upper_members;
  std::vector<double> upper_slopes;
  double upper_intercept = 0;

  // Whether one member is never below the others. The maximum then equals that member.
  bool is_decided() const { return upper_members.size() == 1; }
};

MaximumLines maximum_lines(std::span<const std::int32_t> members, std::span<const double> lower,
                           std::span<const double> upper);

}  // namespace plumb::bounds
