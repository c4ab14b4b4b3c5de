// subproblem.h: a part of the region in which some undecided units are decided.
//
// Copy-cheap: the decisions are a shared path back to the root, and both children share what their parent's bounding
// found to start from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "events/events.h"
#include "reduction/row_bound.h"

namespace plumb {

struct Decision {
  std::shared_ptr<const Decision> before;  // null: the root
  std::int32_t unit = 0;
  Split side = Split::kOpen;
};

// Slopes, multipliers of decisions, weights of cuts and multipliers of constraints that a bounding starts from.
struct Choices {
  std::vector<float> slope, multiplier, weight, pressure;
};

struct Subproblem {
  std::int32_t target = 0;  // the functional that is to be shown positive
  std::shared_ptr<const Decision> decisions;
  std::shared_ptr<const Choices> start;  // null: the defaults
  std::int32_t depth = 0;
  // Of the functional, not rigorous; orders the queue.
  double bound = -std::numeric_limits<double>::infinity();
  std::int32_t branch = -1;  // the unit to split next; -1: none is left
  double rate = 1;           // of its children's ascent
  double branch_score = 0;   // how much the split is hoped to gain
};

// As those who listen are told: from the root on.
inline std::vector<UnitDecision> decisions_of(const Subproblem& subproblem) {
  std::vector<UnitDecision> decisions;
  for (const Decision* d = subproblem.decisions.get(); d != nullptr; d = d->before.get()) {
    decisions.push_back({d->unit, d->side == Split::kActive});
  }
  std::ranges::reverse(decisions);
  return decisions;
}

}  // namespace plumb
