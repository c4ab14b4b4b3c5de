// run_progress.h: the progress of a data-set run, on standard error.
//
// On a terminal, one line is drawn again and again. Elsewhere, a line is printed every 30 seconds, so that a log shows
// progress without growing fast. Prints nothing if quiet.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "accuracy/accuracy_run.h"

namespace plumb::cli {

class RunProgress {
 public:
  // `epsilons` are those of the status's levels. If there are several, the largest is shown.
  RunProgress(std::vector<std::string> epsilons, bool quiet);
  // Clears the line.
  ~RunProgress();
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  void show(const accuracy::RunStatus& status);

 private:
  std::vector<std::string> epsilons_;
  bool quiet_, terminal_, drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

// The most important parts of the status that fit into the width, none of them cut: samples done, rate, time left, the
// adversarial error; then counts, the slowest sample and other processes.
std::string progress_text(const accuracy::RunStatus& status, const std::vector<std::string>& epsilons,
                          std::size_t width);

// For example 3.2 s, 5 min 10 s, 2 h 5 min.
std::string duration_text(double seconds);

}  // namespace plumb::cli
