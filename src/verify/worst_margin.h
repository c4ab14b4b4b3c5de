// worst_margin.h: how far the network misses the unsafe set at worst, or how far inside of it it gets.
//
// In:  a query, any engine that decides queries. Out: an interval that contains the least margin over the region:
//      nowhere is it below `lower` (proven), and a point where it is `upper` was evaluated.
//
// The margin at a point is minus the slack (attack/slack.h): for a classifier the true label's output less the best
// other one's, so that a negative margin is the size of a violation. That the margin is at most t somewhere is the same
// query with every inequality's bound moved by t: no point of it means `lower` = t, a witness of it lowers `upper`.
//
// A bracket that shrinks from both ends:
//   bounds     linear bounds with optimised slopes: a first lower end
//   attack     descents that stop at nothing: a first upper end, moved further down while a few gradient steps can
//   minimise   where there is one: a solver's least margin (milp_margin.h), a bound and a better point
//   decide     at thresholds below the upper end: so close to it first that one proof closes the bracket; further below
//              where witnesses were found again and again, or where the engine could not tell.
// Where there is a limit, a threshold gets half of what is left: what was too hard is followed by something easier, and
// the interval is narrow at the end even if it is not closed.
//
// Sound:  moved bounds are rounded so that the unsafe set is not too small. lower is a threshold at which an engine's
//         verdict was `holds`, or a bound; its evidence is that verdict's. upper is at least the true margin at a point
//         of the region, and so at least the least one: bounds over that one point prove it. It is also at least the
//         margin there in double and in float32 evaluation.
// Trusts: the engine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "attack/gradient_attack.h"
#include "bounds/region_bounds.h"
#include "verdict/decide.h"
#include "verify/narrowing.h"

namespace plumb::verify {

struct WorstMarginOptions {
  // The bracket is closed where upper - lower <= max(absolute_gap, gap |upper|). Outputs of float32 evaluation have
  // six digits or so; nothing finer can be told from rounding.
  double gap = 1e-4;
  double absolute_gap = 1e-5;
  attack::AttackOptions attack{.steps = 40, .restarts = 16};
};

struct WorstMargin {
  double lower = 0;    // minus infinity if nothing is proven
  double upper = 0;    // infinite without a point
  bool exact = false;  // the gap is closed, or there is no margin: nothing is unsafe, and both ends are infinite
  std::string reason;  // why it ended
  verdict::Evidence evidence = verdict::Evidence::kRigorous;  // of lower
  double rigorous_lower = 0;                                  // the largest that rests on Plumb's own arithmetic
  // Where the margin is at most `upper`. Its slack is minus that.
  std::optional<verdict::Witness> point;
  // Whether the point is a witness, as attack/witness_check.h confirms them. A tie is one, though `upper` may lie above
  // zero by what rounding leaves open.
  bool violated = false;
  std::int64_t decisions = 0;      // queries that the engine was asked
  verdict::Statistics statistics;  // of all of them together
};

// The unsafe set with every inequality's bound moved up by `by`, rounded up, and none of them strict: it contains all
// points whose margin is at most `by`.
property::UnsafeSet moved(const property::UnsafeSet& unsafe, double by);

// The query is about the same network. `minimise` may be empty. Throws DataError, as Query does, if the network ends
// with a softmax or the like that was dropped, so that margins between its outputs are not known.
WorstMargin worst_margin(const bounds::BoundedNetwork& network,
                         std::shared_ptr<const attack::NetworkEvaluators> evaluators, const property::Query& query,
                         NarrowingDecide decide, const verdict::MinimiseMargin& minimise,
                         const WorstMarginOptions& options, const Limits& limits);

}  // namespace plumb::verify
