#include "search/targets.h"

#include <algorithm>

namespace plumb::search {

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

}  // namespace plumb::search
