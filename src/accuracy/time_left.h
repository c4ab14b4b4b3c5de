// time_left.h: an estimate of how long a run will still take, based on the work that is left.
//
// Samples that have not begun are expected to finish at the rate so far. A running sample is not, because one that has
// taken long is one of the long ones. It is expected to take as long as the finished samples that took longer than it
// has so far. If there are none, it is expected to need as much time again as it has taken; if that exceeds the time
// for the waiting samples, the estimate is a lower bound.
#pragma once

#include <span>
#include <vector>

namespace plumb::accuracy {

struct TimeLeft {
  double seconds = 0;
  bool at_least = false;
};

// `finished`: seconds of each finished sample. `running`: seconds so far of each running sample; `jobs` run at the same
// time. `waiting`: number of samples that have not begun. `rate`: samples per second so far; 0 if none has finished.
TimeLeft time_left(std::span<const double> finished, std::span<const double> running, double waiting, double rate,
                   double jobs);

}  // namespace plumb::accuracy
