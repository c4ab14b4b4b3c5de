#include "report/gallery.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "network/evaluator.h"
#include "report/picture.h"
#include "verify/sample.h"

namespace plumb::report {
namespace {

constexpr std::size_t kScores = 4, kChanges = 8;

// The labels with the largest outputs at the witness, always including the true one.
std::vector<Score> scores_of(const std::vector<double>& before, const std::vector<double>& after, std::int64_t label) {
  std::vector<std::size_t> order(after.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t k) { return after[k]; });
  const auto own = std::ranges::find(order, static_cast<std::size_t>(label));
  if (order.size() > kScores) {
    if (own - order.begin() >= static_cast<std::ptrdiff_t>(kScores)) std::iter_swap(own, order.begin() + kScores - 1);
    order.resize(kScores);
  }
  std::vector<Score> scores;
  for (const std::size_t k : order) {
    scores.push_back(
        {static_cast<std::int64_t>(k), before.empty() ? std::nullopt : std::optional(before[k]), after[k]});
  }
  return scores;
}

std::vector<Change> changes_of(const std::optional<std::vector<double>>& before, const std::vector<double>& after) {
  std::vector<std::size_t> order(after.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (before) {
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t k) { return std::abs(after[k] - (*before)[k]); });
  }
  order.resize(std::min(order.size(), kChanges));
  std::vector<Change> changes;
  for (const std::size_t k : order) {
    changes.push_back({static_cast<std::int64_t>(k), before ? std::optional((*before)[k]) : std::nullopt, after[k]});
  }
  return changes;
}

std::string encoded(const Picture& picture) { return base64_of(png_of(picture)); }

}  // namespace

ExampleMaker::ExampleMaker(const Sources& sources, const std::vector<store::Setting>& settings,
                           std::optional<property::ImageShape> noted_image)
    : sources_(sources), image_(noted_image), domain_(stored_domain(settings)) {
  if (sources.data) image_ = verify::image_of_samples(*sources.network, *sources.data);
}

Example ExampleMaker::example_of(const store::StoredResult& result) const {
  const verdict::Witness& witness = *result.verdict.witness;
  Example example;
  example.sample = result.sample;
  example.label = result.label;
  example.predicted = result.predicted;
  example.distance = result.distance;
  example.pgd = result.pgd;
  example.reason = result.verdict.reason;
  const auto sample = original(result.sample);
  if (is_picture(image_, witness.input.size())) {
    add_pictures(example, witness.input, sample);
  } else {
    example.changes = changes_of(sample, witness.input);
  }
  const std::vector<double> before = sample ? outputs_at(*sample) : std::vector<double>{};
  example.scores = scores_of(before, witness.outputs, result.label);
  example.lead = witness.outputs[static_cast<std::size_t>(result.predicted)] -
                 witness.outputs[static_cast<std::size_t>(result.label)];
  return example;
}

std::string ExampleMaker::thumbnail(std::int64_t sample) const {
  const auto values = original(sample);
  if (!values || !is_picture(image_, values->size())) return "";
  return encoded(picture_of(*values, *image_, picture_range(domain_, *values)));
}

std::optional<std::vector<double>> ExampleMaker::original(std::int64_t sample) const {
  if (!sources_.data) return std::nullopt;
  return verify::network_sample(*sources_.network, *sources_.data, sample);
}

std::vector<double> ExampleMaker::outputs_at(std::vector<double> input) const {
  const network::Evaluator<double> evaluator(as_stored(sources_.network));
  network::Evaluator<double>::Workspace workspace;
  std::vector<double> outputs(static_cast<std::size_t>(sources_.network->output_size()));
  evaluator.evaluate(input, outputs, workspace);
  return outputs;
}

void ExampleMaker::add_pictures(Example& example, const std::vector<double>& witness,
                                const std::optional<std::vector<double>>& sample) const {
  const ValueRange range = picture_range(domain_, sample ? *sample : witness);
  example.perturbed = encoded(picture_of(witness, *image_, range));
  if (!sample) return;
  example.original = encoded(picture_of(*sample, *image_, range));
  const DifferencePicture difference = difference_picture(*sample, witness, *image_, range);
  example.difference = encoded(difference.picture);
  example.magnification = difference.magnification;
}

}  // namespace plumb::report
