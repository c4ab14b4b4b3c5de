// rounds.h: how long the randomised tests run.
#pragma once

#include <cstdlib>
#include <utility>

namespace plumb::testing {

// PLUMB_SOUNDNESS_ROUNDS networks; enough for a few seconds where it is not set.
inline int rounds() {
  const char* text = std::getenv("PLUMB_SOUNDNESS_ROUNDS");
  return text == nullptr ? 300 : std::atoi(text);
}

// The rounds, from the first to before the last. PLUMB_SOUNDNESS_FIRST=77 PLUMB_SOUNDNESS_ROUNDS=1 is round 77 alone.
inline std::pair<int, int> round_range() {
  const char* text = std::getenv("PLUMB_SOUNDNESS_FIRST");
  const int first = text == nullptr ? 0 : std::atoi(text);
  return {first, first + rounds()};
}

// Whether there are so many that how often something happened says something about the test.
inline bool counts_mean_something() { return rounds() >= 300; }

}  // namespace plumb::testing
