#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace plumb {

std::int64_t worker_count(int threads) {
  return threads == 0 ? std::max<std::int64_t>(1, std::thread::hardware_concurrency()) : threads;
}

void parallel_for(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work) {
  const std::int64_t wanted = worker_count(threads);
  std::atomic<std::int64_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto take_items = [&] {
    for (std::int64_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next = count;  // start no further items
      }
    }
  };
  {
    std::vector<std::jthread> helpers;  // joined at the end of the scope
    for (std::int64_t t = 1; t < std::min(wanted, count); ++t) helpers.emplace_back(take_items);
    take_items();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace plumb
