#include "cli/asked_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cli/messages.h"
#include "verify/sample.h"

namespace plumb::cli {

AskedSamples::AskedSamples(const network::Network& network, const data::DataSet& data,
                           const std::vector<std::int64_t>& candidates, const std::vector<std::int64_t>& targets,
                           const char* why_labels, const OutputOptions& output)
    : quiet_(output.quiet) {
  note_joined_outputs(network, output);
  if (!data.has_labels()) throw DataError(data.name(), why_labels, "give a data set with labels");
  for (const std::int64_t target : targets) {
    if (target >= 0 && target < network.output_size()) continue;
    throw UsageError("--target", fmt::format("{} is none of the {} labels", target, network.output_size()),
                     "labels are counted from 0");
  }
  for (const std::int64_t k : candidates) {
    verify::check_label(network, data, k);
    const bool is_target = std::ranges::find(targets, data.label(k)) != targets.end();
    if (is_target)
      ++skipped_;
    else
      numbers_.push_back(k);
  }
  if (numbers_.empty()) {
    throw UsageError("--target", "the label of every sample is itself a target", "give other samples, or other labels");
  }
  if (skipped_ > 0 && !quiet_) {
    say("plumb: note: {} of {} samples skipped: their own label is a target\n", skipped_, candidates.size());
  }
}

}  // namespace plumb::cli
