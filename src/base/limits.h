// limits.h: how long a question may take, and a budget that measures it.
//
// There are three limits, each of them optional: wall-clock seconds, counted work (the same on every machine and for
// every number of threads), and a flag that a signal handler or another thread sets. Reaching a limit is an outcome,
// not an error: a computation polls its Budget and, when a limit is reached, returns what it knows so far.
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
  std::int64_t work = std::numeric_limits<std::int64_t>::max();  // counted operations; each engine defines which
  const std::atomic<bool>* cancel = nullptr;
  // Points to a growing number of seconds that do not count against `seconds`, such as the time that an audit has taken
  // so far. nullptr means that all time counts.
  const double* not_counted = nullptr;
};

enum class LimitReached { kNone, kTime, kWork, kCancelled };

// For messages.
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

// Measures one question's use of its limits, from its construction on. Only one thread at a time may charge work.
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

// Whether there is a budget and it has reached a limit.
inline bool limit_reached(const Budget* budget) {
  return budget != nullptr && budget->reached() != LimitReached::kNone;
}

}  // namespace plumb
