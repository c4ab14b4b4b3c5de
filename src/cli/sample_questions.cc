#include "cli/sample_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "cli/messages.h"
#include "cli/usage_error.h"
#include "verify/sample.h"

namespace plumb::cli {

SampleQuestions::SampleQuestions(const QuestionArguments& arguments, const char* why_labels)
    : arguments_(arguments),
      network_(load_network(arguments.network, arguments.output)),
      data_(read_data(arguments.data)) {
  network_ = normalised_for(data_, arguments.data, std::move(network_), arguments.output);
  note_joined_outputs(*network_, arguments.output);
  if (!data_.has_labels()) throw DataError(data_.name(), why_labels, "give a data set with labels");
  choose_samples();
}

void SampleQuestions::choose_samples() {
  const std::vector<std::int64_t>& targets = arguments_.targets;
  for (const std::int64_t target : targets) {
    if (target >= 0 && target < network_->output_size()) continue;
    throw UsageError("--target", fmt::format("{} is not one of the {} labels", target, network_->output_size()),
                     "labels are counted from 0");
  }
  for (const std::int64_t k : sample_numbers(arguments_.samples, data_)) {
    verify::check_label(*network_, data_, k);
    const bool is_target = std::ranges::find(targets, data_.label(k)) != targets.end();
    if (is_target)
      ++skipped_;
    else
      numbers_.push_back(k);
  }
  if (numbers_.empty()) {
    throw UsageError("--target", "every sample has a target as its own label", "choose other samples or other targets");
  }
  if (skipped_ > 0 && !arguments_.output.quiet) {
    say("plumb: note: {} of {} samples skipped: their own label is a target\n", skipped_,
        skipped_ + static_cast<std::int64_t>(numbers_.size()));
  }
}

std::vector<double> SampleQuestions::sample(std::int64_t k) const {
  return verify::network_sample(*network_, data_, k);
}

void note_covered_domain(const assembly::Neighbourhood& neighbourhood, const OutputOptions& output) {
  if (output.quiet || !neighbourhood.covers_domain()) return;
  say("plumb: note: the radius covers the whole domain, so that the question is about every input (8/255 instead of "
      "8?)\n");
}

assembly::Neighbourhood SampleQuestions::neighbourhood(assembly::NeighbourhoodOptions options) const {
  assembly::Neighbourhood neighbourhood(std::move(options), *network_, data_);
  neighbourhood.expect_samples_inside(*network_, data_, numbers_);
  note_covered_domain(neighbourhood, arguments_.output);
  return neighbourhood;
}

}  // namespace plumb::cli
