// lines.h: how a maximum is replaced along lines (rule 2 of docs/certificates.md).
#pragma once

#include <algorithm>

#include "facts.h"

namespace checker {

struct MaximumLines {
  Index leader = 0;  // the member with the largest lower bound: y >= x_leader
  double ahead = 0;  // y <= x_leader + ahead
  // y <= sum slope x + intercept; without members, y <= intercept.
  std::vector<std::pair<Index, double>> above;
  double intercept = 0;

  bool is_decided() const { return ahead == 0; }
};

inline MaximumLines lines_of(const Maximum& maximum, std::size_t i, const std::vector<Interval>& bounds) {
  const auto of = [&](Index m) -> const Interval& { return bounds[static_cast<std::size_t>(m)]; };
  std::vector<Index> members(maximum.members.begin() + maximum.offsets[i],
                             maximum.members.begin() + maximum.offsets[i + 1]);
  MaximumLines lines;
  lines.leader =
      *std::max_element(members.begin(), members.end(), [&](Index a, Index b) { return of(a).low() < of(b).low(); });
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  const double floor = of(lines.leader).low();
  double at_middle = 0, ceiling = floor;
  for (const Index m : members) {
    ceiling = larger(ceiling, of(m).high);
    if (m != lines.leader) lines.ahead = larger(lines.ahead, of(m).high - floor);
    if (m == lines.leader || of(m).high > floor) at_middle += (of(m).high - floor) / 2;
  }
  if (at_middle >= ceiling - floor) {
    lines.intercept = ceiling;
    return lines;
  }
  for (const Index m : members) {
    const double low = of(m).low(), high = of(m).high;
    if (m == lines.leader || high > floor)
      lines.above.emplace_back(m, high > low ? smaller(1, (high - floor) / (high - low)) : 0.0);
  }
  // The line is above member m at every corner of the box.
  lines.intercept = -HUGE_VAL;
  for (const Index m : members) {
    Interval rest = of(m).high;
    for (const auto& [j, slope] : lines.above)
      rest = rest - Interval(slope) * Interval(j == m ? of(j).high : of(j).low());
    lines.intercept = larger(lines.intercept, rest.high);
  }
  return lines;
}

}  // namespace checker
