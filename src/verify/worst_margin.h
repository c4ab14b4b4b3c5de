// worst_margin.h: how close the network comes to the unsafe set at worst, or how deep it gets inside.
//
// In:  a query (in two forms, if its numbers are decimals), any engine that decides queries.
// Out: an interval that contains the least margin over the region: it is nowhere below `lower` (proven), and a point
//      where it is `upper` was evaluated.
//
// The margin at a point is minus the slack (attack/slack.h). For a classifier it is the true label's output minus the
// largest other output, so a negative margin measures the violation. "The margin is at most t somewhere" is the same
// query with the bound of every inequality moved by t: if that query holds, `lower` becomes t; a witness of it lowers
// `upper`.
//
// The bracket shrinks from both ends:
//   bounds     linear bounds with optimised slopes provide a first lower end
//   attack     descents without a threshold at which to stop provide a first upper end, which moves further down while
//              a few gradient steps succeed
//   minimise   if given: a solver's least margin (milp/milp_margin.h) provides a bound and a better point
//   decide     at thresholds below the upper end: first so close to it that one proof closes the bracket; further below
//              where witnesses were found repeatedly, or where the engine could not decide
// If there is a limit, the bounds and each threshold get half of what is left of it. A threshold that was too hard is
// followed by an easier one, so the interval is narrow at the end even if it is not closed.
//
// Sound:  moved bounds are rounded so that the unsafe set is not too small. lower is a threshold at which an engine's
//         verdict was `holds`, or a bound; its evidence is that of the verdict or bound. upper is at least the true
//         margin at one point of the region, as bounds over that point prove, and hence at least the least margin. It
//         is also at least the margin there in double and in float32 evaluation. Proofs are about the outer form of the
//         query, points belong to the inner one (rounded_query.h).
// Trusts: the engine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "attack/gradient_attack.h"
#include "base/numbers.h"
#include "bounds/region_bounds.h"
#include "verdict/decide.h"
#include "verify/narrowing.h"
#include "verify/rounded_query.h"

namespace plumb::verify {

struct WorstMarginOptions {
  // The bracket is closed if upper - lower <= max(absolute_gap, gap |upper|). Outputs in float32 have about six digits;
  // anything finer cannot be told from rounding.
  double gap = 1e-4;
  double absolute_gap = 1e-5;
  // The margin of a known point elsewhere. The work also ends once `lower` has reached it.
  double reached = kInfinity;
  attack::AttackOptions attack{.steps = 40, .restarts = 16};
};

struct WorstMargin {
  double lower = 0;    // minus infinity if nothing is proven
  double upper = 0;    // infinite if there is no point
  bool exact = false;  // the gap is closed, or nothing is unsafe and both ends are infinite
  std::string reason;  // why the work ended
  verdict::Evidence evidence = verdict::Evidence::kRigorous;  // of lower
  double rigorous_lower = 0;  // the largest lower bound that rests on Plumb's own arithmetic
  // A point where the margin is at most `upper`. Its slack is -upper.
  std::optional<verdict::Witness> point;
  // Whether the point is a witness, as confirmed by attack/witness_check.h. A tie is a witness, though rounding may
  // leave `upper` slightly above zero.
  bool violated = false;
  std::int64_t decisions = 0;      // number of queries put to the engine
  verdict::Statistics statistics;  // of all of them together
};

// The unsafe set with every inequality's bound moved up by `by`, rounded up, and with no strict inequality. It contains
// all points whose margin is at most `by`.
property::UnsafeSet moved(const property::UnsafeSet& unsafe, double by);

// The query must be about the same network. `minimise` may be empty. Throws DataError, as Query does, if the network
// ends with a softmax or similar operation that was dropped, so that margins between its outputs are not known.
WorstMargin worst_margin(const std::shared_ptr<const bounds::BoundedNetwork>& network,
                         std::shared_ptr<const attack::NetworkEvaluators> evaluators, const RoundedQuery& query,
                         NarrowingDecide decide, const verdict::MinimiseMargin& minimise,
                         const WorstMarginOptions& options, const Limits& limits);

}  // namespace plumb::verify
