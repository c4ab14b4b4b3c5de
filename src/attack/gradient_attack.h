// gradient_attack.h: projected gradient descent with restarts, on the whole network.
//
// In:  a query: any region, any unsafe set.
// Out: a confirmed witness (witness_check.h), or nothing, which proves nothing.
//
// Each trial starts somewhere in the region and takes steps that increase the slack (slack.h) of one conjunction, that
// is, of its inequality with the least slack. Steps shrink towards the end. The first trial in each part of the region
// starts in its middle (or at random, with random_starts) and aims at whichever conjunction has the largest slack at
// the moment. The others start at random. Every second one aims at one fixed conjunction, the most promising first; the
// rest aim like the first.
//
// Where several inequalities must be met at once, gradients of the worst one point to and fro. A mean of them, with
// momentum, meets all of them.
//
// The result depends on the query, the options and the point at which a budget ends it, but not on threads. Trials are
// evaluated many at a time, in float32.
//
// Follows: Madry et al., Towards deep learning models resistant to adversarial attacks (the baseline of Tjeng et al.),
//          but increases margins instead of the cross-entropy. Momentum: Dong et al., Boosting adversarial attacks with
//          momentum.
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
  bool random_starts = false;  // no trial starts in the middle, as usual for PGD in the literature
  double momentum = 0;         // what a mean of gradients keeps per step; steps follow the mean. 0: the gradient alone
};

struct AttackResult {
  std::optional<verdict::Witness> witness;
  double slack = 0;  // the largest one seen, in float32; minus infinity if the unsafe set is empty
  // The point with that slack, in part number `part` of the region: an input, or the parameters of an affine image. It
  // is not rounded into the part. Empty if no point was evaluated.
  std::vector<double> deepest;
  std::size_t part = 0;
  std::int64_t evaluations = 0;  // of the network with its gradient
};

// `evaluators` must be those of the query's network. No step is taken once `budget` has reached a limit; nullptr means
// no limit.
AttackResult gradient_attack(const property::Query& query, std::shared_ptr<const NetworkEvaluators> evaluators,
                             const AttackOptions& options, const Budget* budget = nullptr);

}  // namespace plumb::attack
