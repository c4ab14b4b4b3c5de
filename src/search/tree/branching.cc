#include "search/tree/branching.h"

#include <algorithm>

#include "base/numbers.h"

namespace plumb::search {
namespace {

constexpr double kPriorObservations = 4;  // how many splits the average over all units counts for

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

}  // namespace plumb::search
