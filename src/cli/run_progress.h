// run_progress.h: how far a data-set run is, on standard error.
//
// On a terminal: a line that is drawn again and again. Elsewhere: a line every 30 seconds, so that a log says what
// happens without growing. Nothing if quiet.
#pragma once

#include <chrono>
#include <string>

#include "accuracy/accuracy_run.h"

namespace plumb::cli {

class RunProgress {
 public:
  // `epsilons` are those of the status' levels; of several the largest is shown.
  RunProgress(std::vector<std::string> epsilons, bool quiet);
  // Wipes the line.
  ~RunProgress();
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  void show(const accuracy::RunStatus& status);

 private:
  std::vector<std::string> epsilons_;
  bool quiet_, terminal_, drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

// 3.2 s, 5 min 10 s, 2 h 5 min.
std::string duration_text(double seconds);

}  // namespace plumb::cli
