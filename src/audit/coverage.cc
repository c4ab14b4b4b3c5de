#include "audit/coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/region_cover.h"
#include "base/error.h"

namespace plumb::audit {
namespace {

[[noreturn]] void not_covered(const std::string& what) { throw InternalError("audit: coverage", what); }

}  // namespace

OpenSubproblems::OpenSubproblems(std::size_t targets, std::span<const events::TreeRoot> roots) : open_(targets) {
  for (const events::TreeRoot& root : roots) {
    if (root.target >= targets) not_covered("a tree has a root without a target");
    add(root.target, key_of(root.decisions), {.times = 0, .ranges = {nullptr}});
  }
}

OpenSubproblems::Key OpenSubproblems::key_of(const std::vector<events::UnitDecision>& decisions) {
  Key key = decisions;
  std::ranges::sort(key);
  const auto same_unit = [](const events::UnitDecision& a, const events::UnitDecision& b) { return a.unit == b.unit; };
  if (std::ranges::adjacent_find(key, same_unit) != key.end()) not_covered("a unit is decided twice");
  return key;
}

bool OpenSubproblems::is_open(std::size_t target, const std::vector<events::UnitDecision>& decisions) const {
  return target < open_.size() && open_[target].contains(key_of(decisions));
}

void OpenSubproblems::expect_open(std::size_t target, const std::vector<events::UnitDecision>& decisions) const {
  if (is_open(target, decisions)) return;
  not_covered(fmt::format("a subproblem of target {} with {} decisions is not open", target, decisions.size()));
}

void OpenSubproblems::close(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  if (--at(target, decisions).times == 0) open_[target].erase(key_of(decisions));
}

void OpenSubproblems::add(std::size_t target, const Key& key, const Open& inherited) {
  Open& open = open_[target][key];
  ++open.times;
  open.bound = std::max(open.bound, inherited.bound);
  for (const SharedRanges& one : inherited.ranges) {
    if (std::ranges::find(open.ranges, one) == open.ranges.end()) open.ranges.push_back(one);
  }
}

OpenSubproblems::Open& OpenSubproblems::at(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  expect_open(target, decisions);
  return open_[target].at(key_of(decisions));
}

const std::vector<SharedRanges>& OpenSubproblems::ranges(std::size_t target,
                                                         const std::vector<events::UnitDecision>& decisions) const {
  expect_open(target, decisions);
  return open_[target].at(key_of(decisions)).ranges;
}

void OpenSubproblems::narrow(std::size_t target, const std::vector<events::UnitDecision>& decisions,
                             SharedRanges ranges) {
  Open& open = at(target, decisions);
  if (open.times == 1 && open.ranges.size() == 1) open.ranges.clear();
  open.ranges.insert(open.ranges.begin(), std::move(ranges));
}

void OpenSubproblems::forget_ranges(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  Open& open = at(target, decisions);
  if (open.times == 1) open.ranges.clear();
  if (std::ranges::find(open.ranges, nullptr) == open.ranges.end()) open.ranges.insert(open.ranges.begin(), nullptr);
}

void OpenSubproblems::raise(std::size_t target, const std::vector<events::UnitDecision>& decisions, double bound) {
  Open& open = at(target, decisions);
  open.bound = std::max(open.bound, bound);
}

double OpenSubproblems::least_bound(std::size_t target) const {
  double least = kInfinity;
  for (const auto& [key, open] : open_[target]) least = std::min(least, open.bound);
  return least;
}

void OpenSubproblems::split(std::size_t target, const std::vector<events::UnitDecision>& decisions, std::int32_t unit) {
  const Open inherited = at(target, decisions);
  close(target, decisions);
  for (const bool active : {false, true}) {
    std::vector<events::UnitDecision> child = decisions;
    child.push_back({unit, active});
    add(target, key_of(child), inherited);
  }
}

void OpenSubproblems::split_and_close(std::size_t target, const std::vector<events::UnitDecision>& decisions) {
  std::vector<events::UnitDecision> above;
  for (const events::UnitDecision& decision : decisions) {
    if (is_open(target, above)) split(target, above, decision.unit);
    above.push_back(decision);
  }
  close(target, decisions);
}

OpenRegions::OpenRegions(const property::Region& region) {
  for (std::size_t part = 0; part < region.parts().size(); ++part) {
    open_.emplace(key_of(part, region.parts()[part]), region.parts()[part]);
  }
}

OpenRegions::Key OpenRegions::key_of(std::size_t part, const property::SimpleRegion& piece) {
  Key key{part, {}};
  if (const property::Box* box = halved_box(piece)) {
    key.second = box->lower;
    key.second.insert(key.second.end(), box->upper.begin(), box->upper.end());
  }
  return key;
}

OpenRegions::Pieces::iterator OpenRegions::find(std::size_t part, const property::SimpleRegion& piece) {
  // The piece itself, or a ball that a box replaces.
  for (const Key& key : {key_of(part, piece), Key{part, {}}}) {
    const auto found = open_.find(key);
    if (found != open_.end() && covers(piece, found->second)) return found;
  }
  not_covered(fmt::format("a piece of part {} of the region is not open", part));
}

void OpenRegions::begin(std::size_t part, const property::SimpleRegion& piece) {
  const auto found = find(part, piece);
  const Key key = key_of(part, piece);
  if (found->first == key) return;
  open_.erase(found);
  open_.emplace(key, piece);
}

void OpenRegions::close(std::size_t part, const property::SimpleRegion& piece) { open_.erase(find(part, piece)); }

void OpenRegions::halve(std::size_t part, const property::SimpleRegion& piece, const property::SimpleRegion& low,
                        const property::SimpleRegion& high) {
  if (!are_halves(piece, low, high)) not_covered("two halves do not cover their piece");
  close(part, piece);
  for (const property::SimpleRegion* half : {&low, &high}) {
    if (!open_.emplace(key_of(part, *half), *half).second) not_covered("two pieces of the region are the same");
  }
}

}  // namespace plumb::audit
