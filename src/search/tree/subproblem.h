// subproblem.h: a piece of the region in which splitting has decided some units.
//
// Copies are cheap: the decisions are a shared path back to the root, and both children share the choices that they
// start from, which their parent's bounding found.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/numbers.h"
#include "events/events.h"
#include "lanes/unit_ranges.h"
#include "reduction/row_bound.h"

namespace plumb::search {

struct Decision {
  std::shared_ptr<const Decision> before;  // nullptr for the first decision
  std::int32_t unit = 0;
  reduction::Split side = reduction::Split::kOpen;
};

// Slopes, multipliers of decisions, weights of cuts and constraint multipliers that bounding starts from; zero until
// they are set. One buffer holds them all, because a queue has millions of these objects, each allocated and freed.
class Choices {
 public:
  Choices(std::int64_t units, std::int64_t cuts, std::int64_t constraints)
      : units_(static_cast<std::size_t>(units)),
        cuts_(static_cast<std::size_t>(cuts)),
        values_(2 * units_ + cuts_ + static_cast<std::size_t>(constraints)) {}

  std::span<float> slope() { return std::span(values_).first(units_); }
  std::span<float> multiplier() { return std::span(values_).subspan(units_, units_); }
  std::span<float> weight() { return std::span(values_).subspan(2 * units_, cuts_); }
  std::span<float> constraint_multiplier() { return std::span(values_).subspan(2 * units_ + cuts_); }
  std::span<const float> slope() const { return std::span(values_).first(units_); }
  std::span<const float> multiplier() const { return std::span(values_).subspan(units_, units_); }
  std::span<const float> weight() const { return std::span(values_).subspan(2 * units_, cuts_); }
  std::span<const float> constraint_multiplier() const { return std::span(values_).subspan(2 * units_ + cuts_); }

 private:
  std::size_t units_, cuts_;
  std::vector<float> values_;
};

struct Subproblem {
  std::int32_t target = 0;  // the tree target whose functional is to be shown positive
  std::shared_ptr<const Decision> decisions;
  std::shared_ptr<const Choices> start;  // nullptr means the defaults
  // Where units can lie at its unsafe points. They hold for its target alone. nullptr: the ranges of the whole piece.
  std::shared_ptr<const lanes::UnitRanges> ranges;
  std::int32_t depth = 0;
  // Lower bound of the functional, not rigorous; orders the queue.
  double bound = -kInfinity;
  std::int32_t branch = -1;  // the unit to split next; -1: none is left
  double rate = 1;           // scales the steps of its children's ascent
  int stalled = 0;           // how many of the last splits have not raised the bound
  double branch_score = 0;   // the score of splitting that unit (branching.h)
};

// The subproblem with the unit of its branch active, and inactive.
inline std::array<Subproblem, 2> children_of(const Subproblem& parent) {
  std::array<Subproblem, 2> children{parent, parent};
  for (const reduction::Split side : {reduction::Split::kActive, reduction::Split::kInactive}) {
    Subproblem& child = children[side == reduction::Split::kActive ? 0 : 1];
    child.decisions = std::make_shared<const Decision>(Decision{parent.decisions, parent.branch, side});
    ++child.depth;
  }
  return children;
}

// A subproblem in which these units are decided.
inline Subproblem subproblem_of(std::span<const reduction::Split> splits) {
  Subproblem subproblem;
  for (std::size_t k = 0; k < splits.size(); ++k) {
    if (splits[k] == reduction::Split::kOpen) continue;
    subproblem.decisions =
        std::make_shared<Decision>(Decision{subproblem.decisions, static_cast<std::int32_t>(k), splits[k]});
    ++subproblem.depth;
  }
  return subproblem;
}

// The decisions as events report them, from the root on.
inline std::vector<events::UnitDecision> decisions_of(const Subproblem& subproblem) {
  std::vector<events::UnitDecision> decisions;
  for (const Decision* d = subproblem.decisions.get(); d != nullptr; d = d->before.get()) {
    decisions.push_back({d->unit, d->side == reduction::Split::kActive});
  }
  std::ranges::reverse(decisions);
  return decisions;
}

}  // namespace plumb::search
