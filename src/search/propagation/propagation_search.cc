#include "search/propagation/propagation_search.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"

namespace plumb::search {
namespace {

using reduction::Split;

// Units whose two sides are tried before the search. The first few tell whether it is worth while.
constexpr std::size_t kMostTried = 256, kFirstTried = 8;
constexpr double kLeastGain = 5;  // on average, of a decision
// Multiplications: those that the search may take in any case, and those that it may take in all, by its progress.
constexpr double kFreeWork = 1e8, kMostWork = 2e9;

Split other(Split side) { return side == Split::kActive ? Split::kInactive : Split::kActive; }

}  // namespace

PropagationSearch::PropagationSearch(const reduction::ReducedNetwork& network, Propagation& propagation,
                                     PropagationReport& report, Budget& budget, TryPoint try_point,
                                     SolveLeaf solve_leaf)
    : network_(network),
      budget_(budget),
      try_point_(std::move(try_point)),
      solve_leaf_(std::move(solve_leaf)),
      propagation_(propagation),
      report_(report),
      first_side_(index(network.unit_count()), Split::kInactive) {}

PropagationEnd PropagationSearch::run() {
  while (!is_at_limit()) {
    ++nodes_;
    const NodeEnd end = work_on_node();
    if (end == NodeEnd::kWitness) return PropagationEnd::kWitness;
    if (end == NodeEnd::kStuck) break;
    const bool is_closed = end == NodeEnd::kClosed || !take_first_side();
    if (is_closed && !take_other_side()) return PropagationEnd::kRefuted;
  }
  return PropagationEnd::kOpen;
}

bool PropagationSearch::take_first_side() {
  open_.push_back({propagation_.mark(), branch_, ++depth_});
  return take(branch_.unit, branch_.first_side);
}

// Returns false if the side is contradictory, which closes it.
bool PropagationSearch::take(std::int64_t unit, Split side) {
  if (propagation_.decide(unit, side) && propagation_.propagate()) return true;
  report_.contradiction();
  return false;
}

void PropagationSearch::undo(std::size_t mark) {
  propagation_.undo(mark);
  report_.undone();
}

// Closes the current node. Goes back to the last decision whose other side is not contradictory, and takes that.
// Returns false if there is none.
bool PropagationSearch::take_other_side() {
  closed_ += std::ldexp(1.0, -depth_);
  while (!open_.empty()) {
    const Open last = open_.back();
    open_.pop_back();
    depth_ = last.depth;
    undo(last.mark);
    if (take(last.branch.unit, other(last.branch.first_side))) return true;
    closed_ += std::ldexp(1.0, -depth_);
  }
  return false;
}

PropagationSearch::NodeEnd PropagationSearch::work_on_node() {
  if (nodes_ == 1 && !try_units()) return NodeEnd::kClosed;
  if (!implies_much_) return NodeEnd::kStuck;
  const std::vector<std::int64_t> best = candidates(1);
  if ((best.empty() || is_nearly_decided(best[0])) && try_point_(likely_point())) return NodeEnd::kWitness;
  if (best.empty()) return settle_leaf();
  branch_ = {best[0], first_side_[index(best[0])]};
  return NodeEnd::kBranch;
}

PropagationSearch::NodeEnd PropagationSearch::settle_leaf() {
  switch (solve_leaf_(splits())) {
    case PropagationEnd::kRefuted:
      return NodeEnd::kClosed;
    case PropagationEnd::kWitness:
      return NodeEnd::kWitness;
    case PropagationEnd::kOpen:
      break;
  }
  return NodeEnd::kStuck;
}

// Tries both sides of the most promising units. Returns false if a unit has none: there is no point.
bool PropagationSearch::try_units() {
  double gain = 0, count = 0;
  for (const std::int64_t unit : candidates(kMostTried)) {
    if (!propagation_.is_open(unit) || is_nearly_decided(unit)) continue;
    const std::optional<double> inactive = try_side(unit, Split::kInactive), active = try_side(unit, Split::kActive);
    if (!inactive && !active) return false;
    if (inactive && active) {
      gain += std::min(*inactive, *active);
      first_side_[index(unit)] = *inactive < *active ? Split::kInactive : Split::kActive;
      implies_much_ = gain >= kLeastGain * ++count;
      if (!implies_much_ && count >= kFirstTried) return true;
      continue;
    }
    if (!take(unit, inactive ? Split::kInactive : Split::kActive)) return false;
  }
  return true;
}

// What the side narrows; nullopt if it is contradictory.
std::optional<double> PropagationSearch::try_side(std::int64_t unit, Split side) {
  const std::size_t mark = propagation_.mark();
  const bool possible = take(unit, side);
  const double gain = possible ? propagation_.narrowed_since(mark) : 0;
  undo(mark);
  return possible ? std::optional(gain) : std::nullopt;
}

// The open units with the highest scores, best first; nearly decided ones are last.
std::vector<std::int64_t> PropagationSearch::candidates(std::size_t most) {
  std::vector<double> score = propagation_.unit_scores();
  std::vector<std::int64_t> open;
  for (std::int64_t k = 0; k < network_.unit_count(); ++k) {
    if (is_nearly_decided(k)) score[index(k)] = -1;
    if (propagation_.is_open(k)) open.push_back(k);
  }
  const auto is_better = [&](std::int64_t a, std::int64_t b) {
    return score[index(a)] != score[index(b)] ? score[index(a)] > score[index(b)] : a < b;
  };
  most = std::min(open.size(), most);
  std::ranges::partial_sort(open, open.begin() + static_cast<std::ptrdiff_t>(most), is_better);
  open.resize(most);
  return open;
}

bool PropagationSearch::is_nearly_decided(std::int64_t unit) const {
  constexpr double kNear = 0x1p-20;
  const Propagation::Range& range = propagation_.unit(unit);
  const reduction::ReducedNetwork::Unit& whole = network_.units()[index(unit)];
  return std::min(-range.lower, range.upper) < kNear * (whole.upper - whole.lower);
}

bool PropagationSearch::is_at_limit() {
  const std::int64_t cost = propagation_.take_cost();
  work_ += cost;
  budget_.charge(cost);
  const auto work = static_cast<double>(work_);
  return (work > kFreeWork && work > kMostWork * closed_) || budget_.reached() != LimitReached::kNone;
}

// The middle of all ranges; ends of the region where ranges have shrunk to them.
std::vector<double> PropagationSearch::likely_point() const {
  constexpr double kNear = 0x1p-20;
  std::vector<double> u;
  for (std::int64_t i = 0; i < network_.space().size(); ++i) {
    const Propagation::Range& range = propagation_.input(i);
    const double least = network_.space().lower(i), most = network_.space().upper(i);
    const bool is_narrow = range.upper - range.lower < kNear * (most - least);
    u.push_back(is_narrow && range.lower <= least  ? least
                : is_narrow && range.upper >= most ? most
                                                   : range.lower / 2 + range.upper / 2);
  }
  return u;
}

// Of units that are all decided.
std::vector<Split> PropagationSearch::splits() const {
  std::vector<Split> splits;
  for (std::int64_t k = 0; k < network_.unit_count(); ++k)
    splits.push_back(propagation_.unit(k).upper <= 0 ? Split::kInactive : Split::kActive);
  return splits;
}

}  // namespace plumb::search
