// workers.h: threads that work on the samples of a data-set run, and the two queues between them and the thread that
// owns the store.
//
// In:  tasks, each a sample and what is already known about it. Out: results, samples on which work has ended.
//
// A worker's exception is handed over like a result; the other workers go on.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "accuracy/sample_work.h"

namespace plumb::accuracy {

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Task {
  std::int64_t sample = 0;
  std::vector<KnownLevel> known;
};

// What workers have handed over since the last turn.
struct Harvest {
  std::vector<store::StoredResult> results;
  std::vector<std::int64_t> ended;  // samples on which work has ended
  std::vector<double> seconds;      // how long each of them took
  std::exception_ptr failure;
};

struct Running {
  std::int64_t sample = 0;
  Clock::time_point start;
};

class Workers {
 public:
  Workers(AccuracyQuestion question, std::int64_t jobs);
  // Cancels running work and drops waiting tasks.
  ~Workers();

  void give(Task task);
  void stop();

  // Returns what the workers have handed over. Waits at most this long for something to arrive.
  Harvest harvest(std::chrono::milliseconds most);

  std::size_t waiting() const;
  std::vector<Running> running() const;

 private:
  void work();
  std::optional<Task> next();
  void end(std::int64_t sample, std::exception_ptr failure);

  AccuracyQuestion question_;
  std::atomic<bool> cancelled_ = false;
  mutable std::mutex mutex_;
  std::condition_variable task_given_, something_found_;
  std::deque<Task> tasks_;
  std::vector<Running> running_;
  Harvest harvest_;
  bool stopped_ = false, result_waits_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace plumb::accuracy
