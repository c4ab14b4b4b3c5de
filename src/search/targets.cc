#include "search/targets.h"

#include <algorithm>
#include <iterator>

#include "base/numbers.h"

namespace plumb::search {
namespace {

// One target per conjunction, from rigorous lower bounds of all functionals.
std::vector<Target> targets_of(const bounds::UnsafeFunctionals& unsafe, std::span<const double> lower) {
  std::vector<Target> targets;
  for (std::size_t c = 0; c < unsafe.conjunctions(); ++c) {
    const auto first = static_cast<std::int64_t>(unsafe.first[c]),
               last = static_cast<std::int64_t>(unsafe.first[c + 1]);
    const std::span<const double> own = lower.subspan(unsafe.first[c], unsafe.first[c + 1] - unsafe.first[c]);
    const auto best = std::ranges::max_element(own) - own.begin();
    targets.push_back({.conjunction = c,
                       .first = first,
                       .last = last,
                       .best = first + best,
                       .bound = missed_by(unsafe, lower, c),
                       .refuted = is_refuted(unsafe, lower, c)});
  }
  return targets;
}

}  // namespace

void PieceTargets::take(const bounds::UnsafeFunctionals& unsafe, std::span<const double> lower) {
  const std::vector<Target> latest = targets_of(unsafe, lower);
  if (targets_.empty()) targets_ = latest;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    if (latest[t].bound > targets_[t].bound) {
      const bool refuted = targets_[t].refuted;
      targets_[t] = latest[t];
      targets_[t].refuted = refuted || latest[t].refuted;
    }
    targets_[t].refuted = targets_[t].refuted || latest[t].refuted;
  }
}

bool PieceTargets::all_refuted() const { return std::ranges::all_of(targets_, &Target::refuted); }

std::vector<Target> PieceTargets::open() const {
  std::vector<Target> open;
  std::ranges::copy_if(targets_, std::back_inserter(open), [](const Target& t) { return !t.refuted; });
  std::ranges::stable_sort(open, {}, &Target::bound);
  return open;
}

double PieceTargets::worst_bound() const {
  double worst = targets_.empty() ? -kInfinity : kInfinity;
  for (const Target& target : targets_) worst = std::min(worst, target.bound);
  return worst;
}

}  // namespace plumb::search
