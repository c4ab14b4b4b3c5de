// parallel.h: the same work on many numbers, by several threads. Only certificates, and samples that are hashed, are
// worked on in parallel.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "interval.h"

namespace checker {

// Calls work(i) for each i < count. The first exception ends it, once the calls in progress have returned.
template <class Work>
void in_parallel(std::size_t jobs, std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failing;
  const auto run = [&] {
    round_upward();
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::scoped_lock lock(failing);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < jobs && i < count; ++i) threads.emplace_back(run);
  run();
  threads.clear();  // waits for them
  if (failure) std::rethrow_exception(failure);
}

}  // namespace checker
