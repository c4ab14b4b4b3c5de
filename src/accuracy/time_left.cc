#include "accuracy/time_left.h"

#include <algorithm>

namespace plumb::accuracy {
namespace {

// The expected rest of a sample that has run for `seconds`.
TimeLeft rest_of(double seconds, std::span<const double> finished) {
  double longer = 0;
  std::size_t count = 0;
  for (const double other : finished) {
    if (other <= seconds) continue;
    longer += other - seconds;
    ++count;
  }
  if (count == 0) return {seconds, true};
  return {longer / static_cast<double>(count), false};
}

}  // namespace

TimeLeft time_left(std::span<const double> finished, std::span<const double> running, double waiting, double rate,
                   double jobs) {
  TimeLeft left;
  const double for_waiting = rate > 0 ? waiting / rate : 0;
  left.at_least = waiting > 0 && rate <= 0;
  double sum = 0, longest = 0;
  for (const double seconds : running) {
    const TimeLeft rest = rest_of(seconds, finished);
    left.at_least = left.at_least || (rest.at_least && rest.seconds > for_waiting);
    sum += rest.seconds;
    longest = std::max(longest, rest.seconds);
  }
  left.seconds = std::max(for_waiting + sum / std::max(1.0, jobs), longest);
  return left;
}

}  // namespace plumb::accuracy
