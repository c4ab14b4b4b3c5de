// rounds.h: the number of rounds of the randomised tests.
#pragma once

#include <cstdlib>
#include <utility>

namespace plumb::testing {

// PLUMB_SOUNDNESS_ROUNDS, or a number that takes a few seconds if it is not set.
inline int rounds() {
  const char* text = std::getenv("PLUMB_SOUNDNESS_ROUNDS");
  return text == nullptr ? 300 : std::atoi(text);
}

// The half-open range [first, last) of rounds. PLUMB_SOUNDNESS_FIRST=77 PLUMB_SOUNDNESS_ROUNDS=1 runs round 77 alone.
inline std::pair<int, int> round_range() {
  const char* text = std::getenv("PLUMB_SOUNDNESS_FIRST");
  const int first = text == nullptr ? 0 : std::atoi(text);
  return {first, first + rounds()};
}

// Whether there are enough rounds to make assertions about how often something happened.
inline bool counts_mean_something() { return rounds() >= 300; }

// What the number of cases of some kind must exceed: `number`; or 0 if there are too few rounds to say how often they
// occur, so that a test still meets each kind; or -1 if single rounds are run again.
inline int often(int number) { return counts_mean_something() ? number : rounds() >= 5 ? 0 : -1; }

}  // namespace plumb::testing
