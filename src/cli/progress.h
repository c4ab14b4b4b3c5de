// progress.h: a progress bar on standard error for work that takes longer than a second, if that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace plumb::cli {

class Progress {
 public:
  // Silent if `enabled` is false or standard error is not a terminal.
  Progress(std::string title, std::int64_t total, bool enabled);
  // Clears the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // May be called from any thread; draws at most ten times per second.
  void update(std::int64_t done);

 private:
  std::string title_;
  std::int64_t total_;
  bool visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_, next_draw_;
  std::mutex mutex_;
};

}  // namespace plumb::cli
