// parallel.h: a loop over independent items on several threads.
//
// The items are the same for every number of threads, so results that are written to the item's own place do
// not depend on it.
#pragma once

#include <cstdint>
#include <functional>

namespace plumb {

// How many threads `threads` stands for: itself, or one a core for 0.
std::int64_t worker_count(int threads);

// Calls work(i) for i in [0, count), at most `threads` at a time (0: one a core). The first exception that an
// item throws is rethrown here, after the running ones have ended.
void parallel_for(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work);

}  // namespace plumb
