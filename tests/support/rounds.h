// rounds.h: how long the randomised tests run.
#pragma once

#include <cstdlib>

namespace plumb::testing {

// PLUMB_SOUNDNESS_ROUNDS networks; enough for a few seconds where it is not set.
inline int rounds() {
  const char* text = std::getenv("PLUMB_SOUNDNESS_ROUNDS");
  return text == nullptr ? 300 : std::atoi(text);
}

// Whether there are so many that how often something happened says something about the test.
inline bool counts_mean_something() { return rounds() >= 300; }

}  // namespace plumb::testing
