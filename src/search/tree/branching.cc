#include "search/tree/branching.h"
#include "base/numbers.h"

#include <algorithm>
#include <cmath>

namespace plumb::search {
namespace {

constexpr std::size_t kCandidates = 4;    // units of highest score that pseudo-costs choose among
constexpr double kPriorObservations = 2;  // how many splits the average over all units counts for

}  // namespace

void PseudoCosts::record(std::int64_t unit, bool active, double score, double rise) {
  if (score <= 0) return;
  Gains& gains = gain_[active ? 1 : 0];
  const double rate = std::max(0.0, rise) / score;
  gains.sum[index(unit)] += rate;
  gains.count[index(unit)] += 1;
  gains.total += rate;
  gains.times += 1;
}

double PseudoCosts::rate(std::int64_t unit, bool active) const {
  const Gains& gains = gain_[active ? 1 : 0];
  const double average = gains.times > 0 ? gains.total / gains.times : 1;
  return (gains.sum[index(unit)] + kPriorObservations * average) / (gains.count[index(unit)] + kPriorObservations);
}

template <class T>
std::vector<Branch> promising_branches(const lanes::LaneSystem<T>& system, const lanes::Lanes<T>& lanes,
                                       std::int64_t lane) {
  std::vector<Branch> candidates;
  for (std::int64_t k = 0; k < system.units(); ++k) {
    if (lanes.split.at(k, lane) != T{0}) continue;
    const double v = lanes.on_value.at(k, lane), z = lanes.argument.at(k, lane);
    const double r = lanes.values.at(system.inputs() + k, lane);
    const double paid = v < 0 ? -v * static_cast<double>(lanes.upper_intercept.at(k, lane)) : 0;
    // The small term orders units whose upper line costs nothing.
    const double violation = std::abs(v) * std::abs(r - std::max(z, 0.0));
    candidates.push_back({static_cast<std::int32_t>(k), paid + 1e-3 * violation});
  }
  const std::size_t count = std::min(kCandidates, candidates.size());
  std::partial_sort(
      candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end(),
      [](const Branch& a, const Branch& b) { return a.score != b.score ? a.score > b.score : a.unit < b.unit; });
  candidates.resize(count);
  return candidates;
}

Branch choose_branch(const std::vector<Branch>& promising, double missing, const PseudoCosts& costs) {
  if (promising.empty()) return {};
  // Both children must be closed, so the smaller gain counts most. A gain beyond what is missing does not count.
  Branch best = promising[0];
  double best_value = -1;
  for (const Branch& branch : promising) {
    const auto gain = [&](bool active) {
      return std::min(1.0, costs.rate(branch.unit, active) * branch.score / std::max(missing, 1e-9));
    };
    const double value = std::min(gain(true), gain(false)) + 0.2 * std::max(gain(true), gain(false));
    if (value > best_value) {
      best_value = value;
      best = branch;
    }
  }
  return best;
}

template std::vector<Branch> promising_branches(const lanes::LaneSystem<float>&, const lanes::Lanes<float>&,
                                                std::int64_t);
template std::vector<Branch> promising_branches(const lanes::LaneSystem<double>&, const lanes::Lanes<double>&,
                                                std::int64_t);

}  // namespace plumb::search
