#include "cli/sample_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "cli/messages.h"
#include "cli/usage_error.h"
#include "verify/sample.h"

namespace plumb::cli {

NormalisedNetwork normalised_for(const data::DataSet& data, const DataOptions& options,
                                 std::shared_ptr<const network::Network> network, const OutputOptions& output) {
  note_half_a_normalisation(options.normalisation, output);
  if (options.normalisation.is_given()) verify::network_sample(*network, data, 0);  // do the data fit at all?
  const auto image = verify::image_of_samples(*network, data);
  return normalise(std::move(network), options.normalisation, image);
}

SampleQuestions::SampleQuestions(const QuestionArguments& arguments, const char* why_labels)
    : arguments_(arguments),
      normalised_{load_network(arguments.network, arguments.output), ""},
      data_(read_data(arguments.data)) {
  normalised_ = normalised_for(data_, arguments.data, std::move(normalised_.network), arguments.output);
  note_joined_outputs(*network(), arguments.output);
  if (!data_.has_labels()) throw DataError(data_.name(), why_labels, "give a data set with labels");
  choose_samples();
}

void SampleQuestions::choose_samples() {
  const std::vector<std::int64_t>& targets = arguments_.targets;
  for (const std::int64_t target : targets) {
    if (target >= 0 && target < network()->output_size()) continue;
    throw UsageError("--target", fmt::format("{} is not one of the {} labels", target, network()->output_size()),
                     "labels are counted from 0");
  }
  for (const std::int64_t k : sample_numbers(arguments_.samples, data_)) {
    verify::check_label(*network(), data_, k);
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
  return verify::network_sample(*network(), data_, k);
}

void note_covered_inputs(const assembly::Neighbourhood& neighbourhood, const OutputOptions& output) {
  const std::vector<std::size_t> covered = neighbourhood.covered_inputs();
  if (output.quiet || covered.empty()) return;
  if (neighbourhood.covers_domain()) {
    say("plumb: note: the radius covers the whole domain, so that the question is about every input (8/255 instead of "
        "8?)\n");
  } else if (covered.size() == 1) {
    say("plumb: note: the radius of input {} (counted from 0) covers its whole range, so that the question is about "
        "all "
        "its values\n",
        covered[0]);
  } else {
    say("plumb: note: the radii of {} of {} inputs cover their whole ranges, so that the question is about all their "
        "values; the first is input {} (counted from 0)\n",
        covered.size(), neighbourhood.whole_domain()->size(), covered[0]);
  }
}

assembly::Neighbourhood SampleQuestions::neighbourhood(assembly::NeighbourhoodOptions options) const {
  assembly::Neighbourhood neighbourhood(std::move(options), *network(), data_);
  neighbourhood.expect_samples_inside(*network(), data_, numbers_);
  note_covered_inputs(neighbourhood, arguments_.output);
  return neighbourhood;
}

}  // namespace plumb::cli
