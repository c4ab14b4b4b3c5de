// asked_samples.h: the samples that a command asks its question about, and the loop over them.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "base/parallel.h"
#include "cli/common_options.h"
#include "cli/progress.h"

namespace plumb::cli {

class AskedSamples {
 public:
  // Keeps the candidates to which the question applies. A sample whose own label is a target is skipped, because it is
  // already where the attack wants to get. A notice on standard error says how many were skipped. `why_labels`
  // completes the message about data without labels. Throws DataError if there are no labels, or if one is not the
  // index of a network output; UsageError if a target is not one, or if no sample is left.
  AskedSamples(const network::Network& network, const data::DataSet& data, const std::vector<std::int64_t>& candidates,
               const std::vector<std::int64_t>& targets, const char* why_labels, const OutputOptions& output);

  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  std::int64_t skipped() const { return skipped_; }

  // Calls ask(k) for each sample k, several at a time, with a progress bar. Returns the answers in order.
  template <class Line>
  std::vector<Line> each(const char* title, int threads, const std::function<Line(std::int64_t)>& ask) const {
    std::vector<Line> lines(numbers_.size());
    const auto count = static_cast<std::int64_t>(numbers_.size());
    Progress progress(title, count, !quiet_);
    std::atomic<std::int64_t> done = 0;
    parallel_for(count, threads, [&](std::int64_t i) {
      lines[static_cast<std::size_t>(i)] = ask(numbers_[static_cast<std::size_t>(i)]);
      progress.update(++done);
    });
    return lines;
  }

 private:
  std::vector<std::int64_t> numbers_;
  std::int64_t skipped_ = 0;
  bool quiet_ = false;
};

}  // namespace plumb::cli
