// run_sentence.h: what is proven of the adversarial error of a run, in one sentence.
#pragma once

#include "run_database.h"

namespace checker {

// At one level.
struct LevelCounts {
  std::int64_t samples = 0, robust = 0, errors = 0;
  std::int64_t by_certificate = 0, by_evaluation = 0;  // how these were proven

  void add(const Finding& finding);
};

// "the adversarial error of NETWORK (sha256 ...) on N samples of DATA at l-infinity distance 0.1 is 4.38 %, proven by M
// certificates". Bounds that differ are rounded outward.
// `available` is the number of samples in the data set.
std::string sentence(const Run& run, std::size_t available, const std::string& level, const LevelCounts& counts);

}  // namespace checker
