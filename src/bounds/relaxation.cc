#include "bounds/relaxation.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/rounding.h"
#include "bounds/bound_store.h"

namespace plumb::bounds {
namespace {

// The lower line of a unit with u = -l must not depend on how its bounds were rounded: whoever proves them again along
// the same lines (audit, plumb-check) rounds in another way. Networks with symmetric layers have many such units.
constexpr double kTie = 1 - 0x1p-20;

// An upper bound on max(-s l, v - s u), the smallest t for which s x + t lies above 0 at l and above v at u.
double intercept_up(double s, double l, double u, double v) {
  return std::max(round_up(-s * l), loose_sum_up(v, round_up(-s * u)));
}

}  // namespace

Lines relu_lines(std::span<const double> lower, std::span<const double> upper) {
  Lines lines;
  const std::size_t n = lower.size();
  lines.lower_slope.assign(n, 0.0);
  lines.upper_slope.assign(n, 0.0);
  lines.upper_intercept.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double l = lower[i], u = upper[i];
    switch (stability(l, u)) {
      case Stability::kInactive:
        break;
      case Stability::kActive:
        lines.lower_slope[i] = lines.upper_slope[i] = 1.0;
        break;
      case Stability::kUnstable:
        lines.lower_slope[i] = u > -kTie * l ? 1.0 : 0.0;
        lines.upper_slope[i] = std::min(1.0, u / (u - l));
        lines.upper_intercept[i] = intercept_up(lines.upper_slope[i], l, u, u);
        break;
    }
  }
  return lines;
}

std::vector<std::int64_t> possible_winners(std::span<const std::int32_t> members, std::span<const double> lower,
                                           std::span<const double> upper) {
  const auto leader = *std::ranges::max_element(members, {}, [&](std::int32_t m) { return lower[index(m)]; });
  std::vector<std::int64_t> winners{leader};
  for (const std::int32_t m : members) {
    const bool may_win = upper[index(m)] > lower[index(leader)];
    if (may_win && std::ranges::find(winners, m) == winners.end()) winners.push_back(m);
  }
  return winners;
}

MaximumLines maximum_lines(std::span<const std::int32_t> members, std::span<const double> lower,
                           std::span<const double> upper) {
  const auto low = [&](std::int64_t m) { return lower[index(m)]; };
  const auto high = [&](std::int64_t m) { return upper[index(m)]; };
  const std::vector<std::int64_t> winners = possible_winners(members, lower, upper);
  MaximumLines lines;
  lines.lower_member = winners[0];
  if (winners.size() == 1) {  // the leader is always the largest (or ties)
    lines.upper_members = winners;
    lines.upper_slopes = {1.0};
    return lines;
  }
  // max_m x_m <= floor + sum_m relu(x_m - floor), and each term lies below its own line. At the middle of the box this
  // bound is floor + sum_m (u_m - floor)/2. If the constant `ceiling` is not above that, it is used instead.
  const double floor = low(winners[0]);
  double at_middle = floor, ceiling = floor;
  for (const std::int64_t m : winners) {
    at_middle += (high(m) - floor) / 2;
    ceiling = std::max(ceiling, high(m));
  }
  if (at_middle >= ceiling) {
    lines.upper_intercept = ceiling;
    return lines;
  }
  lines.upper_intercept = floor;
  for (const std::int64_t m : winners) {
    const double l = low(m), u = high(m), v = round_up(u - floor);
    const double slope = u > l ? std::clamp((u - floor) / (u - l), 0.0, 1.0) : 0.0;
    lines.upper_members.push_back(m);
    lines.upper_slopes.push_back(slope);
    lines.upper_intercept = loose_sum_up(lines.upper_intercept, intercept_up(slope, l, u, v));
  }
  return lines;
}

}  // namespace plumb::bounds
