// parallel.h: a loop over independent items on several threads.
//
// The items do not depend on the number of threads. Neither do the results, if each item writes only to its own place.
#pragma once

#include <cstdint>
#include <functional>

namespace plumb {

// The number of threads that `threads` stands for: `threads` itself, or one per core if it is 0.
std::int64_t worker_count(int threads);

// Calls work(i) for i in [0, count), on at most worker_count(threads) threads. If an item throws, no further items are
// started, and the first exception is rethrown after the running ones have ended.
void parallel_for(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work);

}  // namespace plumb
