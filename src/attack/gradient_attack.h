// gradient_attack.h: projected gradient descent with restarts, on the whole network.
//
// In:  a query: any region, any unsafe set. Out: a confirmed witness (witness_check.h), or nothing, which proves
// nothing.
//
// Each trial starts somewhere in the region and takes steps that increase the slack (slack.h) of one conjunction, that
// is, of its inequality that is violated most; steps shrink towards the end. The first trial in each part of the region
// starts in its middle (or at random too, if asked to) and aims at whichever conjunction is nearest to hold at the
// moment; the others start at random and aim, by turns, at that and at one fixed conjunction, the most promising first.
//
// Follows: Madry et al., Towards deep learning models resistant to adversarial attacks (the baseline of Tjeng et al.);
//          with margins instead of the cross-entropy as what is increased.
// The result depends on the query and the options only, not on threads; and on where a budget ends it. Trials are
// evaluated many at a time, in float32.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "attack/witness_check.h"
#include "base/limits.h"

namespace plumb::attack {

struct AttackOptions {
  int steps = 40;
  int restarts = 20;       // trials in all; every part of a union gets at least one
  double step_size = 0.5;  // of the first step, in units of the radius (half the width of a box)
  std::uint64_t seed = 1;
  bool random_starts = false;  // no trial starts in the middle: PGD as the literature has it
};

struct AttackResult {
  std::optional<verdict::Witness> witness;
  double slack = 0;  // the largest that was seen, in float32; minus infinity if nothing is unsafe
  // Where that was: a point of this part of the region (parameters, of an affine image), not rounded into it. Empty if
  // nothing was seen.
  std::vector<double> deepest;
  std::size_t part = 0;
  std::int64_t evaluations = 0;  // of the network with its gradient
};

// The evaluators are those of the query's network. With a budget, no step is taken once it has reached a limit.
AttackResult gradient_attack(const property::Query& query, std::shared_ptr<const NetworkEvaluators> evaluators,
                             const AttackOptions& options, const Budget* budget = nullptr);

}  // namespace plumb::attack
