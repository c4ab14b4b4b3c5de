#include "audit/coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/region_minimum.h"
#include "base/error.h"

namespace plumb::audit {
namespace {

[[noreturn]] void not_covered(const std::string& what) { throw InternalError("audit: coverage", what); }

}  // namespace

OpenSubproblems::Key OpenSubproblems::key_of(const std::vector<UnitDecision>& decisions) {
  Key key = decisions;
  std::ranges::sort(key);
  const auto same_unit = [](const UnitDecision& a, const UnitDecision& b) { return a.unit == b.unit; };
  if (std::ranges::adjacent_find(key, same_unit) != key.end()) not_covered("a unit is decided twice");
  return key;
}

void OpenSubproblems::expect_open(std::size_t target, const std::vector<UnitDecision>& decisions) const {
  if (target < open_.size() && open_[target].contains(key_of(decisions))) return;
  not_covered(fmt::format("a subproblem of target {} with {} decisions is not open", target, decisions.size()));
}

void OpenSubproblems::close(std::size_t target, const std::vector<UnitDecision>& decisions) {
  expect_open(target, decisions);
  open_[target].erase(key_of(decisions));
}

void OpenSubproblems::split(std::size_t target, const std::vector<UnitDecision>& decisions, std::int32_t unit) {
  close(target, decisions);
  for (const bool active : {false, true}) {
    std::vector<UnitDecision> child = decisions;
    child.push_back({unit, active});
    if (!open_[target].insert(key_of(child)).second) not_covered("two subproblems are the same");
  }
}

OpenRegions::OpenRegions(const Region& region) {
  for (std::size_t part = 0; part < region.parts().size(); ++part) open_.push_back({part, region.parts()[part]});
}

std::size_t OpenRegions::find(std::size_t part, const SimpleRegion& piece) const {
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i].part == part && covers(piece, open_[i].piece)) return i;
  }
  not_covered(fmt::format("a piece of part {} of the region is none of those that are open", part));
}

void OpenRegions::begin(std::size_t part, const SimpleRegion& piece) { open_[find(part, piece)].piece = piece; }

void OpenRegions::close(std::size_t part, const SimpleRegion& piece) {
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(find(part, piece)));
}

void OpenRegions::halve(std::size_t part, const SimpleRegion& piece, const SimpleRegion& low,
                        const SimpleRegion& high) {
  if (!are_halves(piece, low, high)) not_covered("two halves do not cover what they are halves of");
  close(part, piece);
  open_.push_back({part, low});
  open_.push_back({part, high});
}

}  // namespace plumb::audit
