#include "cli/nearest_name.h"

#include <algorithm>
#include <vector>

namespace plumb::cli {
namespace {

std::string_view without_dashes(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  return name;
}

// The number of changes between two words, where each pair of neighbours is exchanged at most once.
std::size_t changes_between(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> changes(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        changes[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = changes[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      changes[i][j] = std::min({replaced, changes[i - 1][j] + 1, changes[i][j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) changes[i][j] = std::min(changes[i][j], changes[i - 2][j - 2] + 1);
    }
  }
  return changes[a.size()][b.size()];
}

bool one_begins_with_the_other(std::string_view a, std::string_view b) {
  constexpr std::size_t kShortest = 3;  // a shorter beginning says too little
  return std::min(a.size(), b.size()) >= kShortest && (a.starts_with(b) || b.starts_with(a));
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view given, std::span<const std::string> names) {
  const std::string_view word = without_dashes(given);
  // A change costs two, and a common beginning three, so that "epsscale" is nearer to "eps-scale" than to "eps".
  constexpr std::size_t kChange = 2, kBeginning = 3;
  const std::size_t most_changes = word.size() < 3 ? 0 : word.size() < 5 ? 1 : word.size() < 8 ? 2 : 3;
  std::size_t least = kChange * most_changes + (most_changes == 0 ? 0 : 1);
  std::optional<std::string> nearest;
  for (const std::string& name : names) {
    const std::string_view other = without_dashes(name);
    std::size_t cost = kChange * changes_between(word, other);
    if (one_begins_with_the_other(word, other)) cost = std::min(cost, kBeginning);
    const bool nearer = nearest ? cost < least : cost <= least;
    if (!nearer) continue;
    least = cost;
    nearest = name;
  }
  return nearest;
}

}  // namespace plumb::cli
