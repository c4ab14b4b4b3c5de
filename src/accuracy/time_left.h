// time_left.h: how long a run will take from here, from what is left rather than from what was.
//
// Samples that have not begun are expected to come at the pace so far. Those that run are not: a sample that has taken
// long is one of the long ones. It is expected to take as long as those that took longer than it has; if there was
// none, as long again as it has taken, and where that is longer than everything else, the estimate is a lower bound.
#pragma once

#include <span>
#include <vector>

namespace plumb::accuracy {

struct TimeLeft {
  double seconds = 0;
  bool at_least = false;
};

// `finished`: seconds of each sample that ended. `running`: seconds so far of each that runs, `jobs` at the same time.
// `waiting`: how many have not begun. `rate`: samples a second so far; 0 if none has ended.
TimeLeft time_left(std::span<const double> finished, std::span<const double> running, double waiting, double rate,
                   double jobs);

}  // namespace plumb::accuracy
