#include "accuracy/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumb::accuracy {

void LevelCounts::count(const store::ResultBrief& result, std::int64_t by) {
  pending -= by;
  looked_at += by;
  misclassified += result.misclassified ? by : 0;
  vulnerable_misclassified += result.misclassified && result.answer == verdict::Answer::kViolated ? by : 0;
  robust += result.answer == verdict::Answer::kHolds ? by : 0;
  vulnerable += result.answer == verdict::Answer::kViolated ? by : 0;
  unknown += result.answer == verdict::Answer::kUnknown ? by : 0;
  by_solver += result.answer == verdict::Answer::kHolds && result.evidence == verdict::Evidence::kSolver ? by : 0;
  implied += result.implied ? by : 0;
  const bool certified = result.certified == store::Certified::kAccepted;
  certified_robust += certified && result.answer == verdict::Answer::kHolds ? by : 0;
  certified_vulnerable += certified && result.answer == verdict::Answer::kViolated ? by : 0;
  rejected += result.certified == store::Certified::kRejected ? by : 0;
  pgd_tried += result.pgd ? by : 0;
  pgd_found += result.pgd.value_or(false) ? by : 0;
}

void LevelCounts::add(const store::ResultBrief& result) { count(result, 1); }
void LevelCounts::remove(const store::ResultBrief& result) { count(result, -1); }

Distribution distribution_of(std::vector<double> numbers) {
  if (numbers.empty()) return {};
  std::ranges::sort(numbers);
  const auto size = static_cast<double>(numbers.size());
  const auto percentile = [&](double fraction) {
    return numbers[static_cast<std::size_t>(std::max(1.0, std::ceil(fraction * size))) - 1];
  };
  return {std::accumulate(numbers.begin(), numbers.end(), 0.0) / size, percentile(0.5), percentile(0.9),
          percentile(0.99), numbers.back()};
}

Effort effort_of(std::span<const store::ResultBrief> results) {
  std::vector<double> seconds, nodes;
  for (const store::ResultBrief& result : results) {
    if (result.implied) continue;
    seconds.push_back(result.seconds);
    nodes.push_back(static_cast<double>(result.nodes));
  }
  return {distribution_of(std::move(seconds)), distribution_of(std::move(nodes))};
}

std::vector<Stage> stages_of(std::span<const store::ResultBrief> results) {
  std::vector<Stage> stages;
  for (const store::ResultBrief& result : results) {
    const std::string reason =
        result.reason.substr(0, result.reason.find(':')) + (result.implied ? ", at another epsilon" : "");
    auto stage =
        std::ranges::find_if(stages, [&](const Stage& s) { return s.answer == result.answer && s.reason == reason; });
    if (stage == stages.end()) stage = stages.insert(stages.end(), Stage{result.answer, reason, 0, 0});
    ++stage->samples;
    stage->seconds += result.seconds;
  }
  std::ranges::stable_sort(stages, std::ranges::greater{}, &Stage::samples);
  return stages;
}

}  // namespace plumb::accuracy
