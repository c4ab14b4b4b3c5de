// limits.h: how long a question may take, and how that is noticed.
//
// Three limits, any of which may be absent: seconds on the clock, counted work (the same on every machine and for every
// number of threads), and a flag that a signal handler or another thread sets. Reaching one is an outcome, not an
// error: whoever works asks now and then, and ends with what is known so far.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include "base/numbers.h"

namespace plumb {

struct Limits {
  double seconds = kInfinity;
  std::int64_t work = std::numeric_limits<std::int64_t>::max();  // counted operations; each engine says which
  const std::atomic<bool>* cancel = nullptr;
  // Seconds that do not count, as they grow: whoever watches the work at its own expense (an audit) keeps them here.
  const double* not_counted = nullptr;
};

enum class LimitReached { kNone, kTime, kWork, kCancelled };

// As people read it.
constexpr const char* name_of(LimitReached limit) {
  switch (limit) {
    case LimitReached::kNone:
      return "no limit";
    case LimitReached::kTime:
      return "time limit";
    case LimitReached::kWork:
      return "work limit";
    case LimitReached::kCancelled:
      return "interrupted";
  }
  return "";
}

// One question's use of its limits, from the moment that it is made. Work is charged by one thread at a time.
class Budget {
 public:
  explicit Budget(const Limits& limits) : limits_(limits), start_(std::chrono::steady_clock::now()) {}

  void charge(std::int64_t work) { work_ += work; }
  std::int64_t work() const { return work_; }
  std::int64_t work_left() const { return limits_.work - work_; }
  double seconds() const {
    const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return limits_.not_counted == nullptr ? passed : passed - *limits_.not_counted;
  }
  double seconds_left() const { return std::max(0.0, limits_.seconds - seconds()); }
  const std::atomic<bool>* cancel() const { return limits_.cancel; }

  LimitReached reached() const {
    if (limits_.cancel != nullptr && limits_.cancel->load(std::memory_order_relaxed)) return LimitReached::kCancelled;
    if (work_ >= limits_.work) return LimitReached::kWork;
    return seconds_left() <= 0 ? LimitReached::kTime : LimitReached::kNone;
  }

 private:
  Limits limits_;
  std::chrono::steady_clock::time_point start_;
  std::int64_t work_ = 0;
};

}  // namespace plumb
