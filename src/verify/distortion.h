// distortion.h: the distance from a sample to the nearest unsafe point.
//
// In:  a growing region, an unsafe set, any engine that decides queries.
// Out: an interval that contains the minimum distortion: no unsafe point lies within `lower`, and a confirmed witness
//      lies at `upper`. What `lower` rests on, a proof or a solver's claim, is its `evidence`; `rigorous_lower` is
//      proven.
//
// Distances are those of GrowingRegion::distance(): of the input from the sample, or of an affine image's parameters
// from zero.
//
// The bracket shrinks from both ends:
//   prove      at growing radii, while that takes next to no work
//   attack     from there on at growing radii, until a first witness is found
//   shrink     moves the witness towards the sample while it stays a witness
//   minimise   if given: a solver's nearest point (milp/milp_distortion.h) provides a bound and a better witness
//   decide     at radii below the witness: first well below it, for an early lower end, then close to it, where one
//              proof closes the bracket. A witness found there is shrunk and replaces the last one, and the search
//              continues with what it had not closed by then (narrowing.h).
// Near the threshold an engine may be unable to decide: its point is unsafe by less than the rounding of an inference
// run time, so it is not a witness. Then the radii go down until something is proven, and up while nearer witnesses are
// found. The remaining interval shows how finely float32 can tell.
//
// Sound:  lower is a radius for which an engine's verdict was `holds`, or a bound from `minimise`; its evidence is that
//         of the verdict or bound. upper is the distance of a witness confirmed by attack/witness_check.h, rounded up.
//         Proofs are about the outer form of the question, witnesses belong to the inner one.
//         When a limit is reached, the result is what is known by then: lower may be 0, and upper infinite.
// Trusts: the engine.
// Threads: the function keeps nothing between calls. It calls the engine from the calling thread, one query at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "attack/gradient_attack.h"
#include "property/growing_region.h"
#include "verdict/decide.h"
#include "verify/narrowing.h"

namespace plumb::verify {

struct DistortionQuestion {
  property::GrowingRegion region;
  property::UnsafeSet unsafe;

  // Where witnesses must lie if the numbers above were rounded outward (rounded_query.h); the centre is the same. Only
  // for balls.
  struct Inner {
    property::GrowingRegion region;
    property::UnsafeSet unsafe;
    // Inputs that have the double nearest to the number that is meant, and the box in which these numbers lie.
    std::vector<std::int64_t> nearest_inputs;
    property::Box range;
  };
  std::optional<Inner> inner = std::nullopt;
};

struct DistortionOptions {
  double gap = 1e-6;  // relative: the bracket is closed if upper - lower <= gap * upper
  attack::AttackOptions attack{.steps = 30, .restarts = 8};
};

struct Distortion {
  double lower = 0;  // 0 if nothing is known
  double upper = 0;  // minimum_distortion() sets it to infinity if there is no witness
  // The gap is closed; or the sample itself is unsafe, and both ends are 0; or there is no unsafe point at all, upper
  // is infinite, and lower is at least the region's reach. It says nothing about `evidence`.
  bool exact = false;
  std::string reason;                                         // why the work ended
  verdict::Evidence evidence = verdict::Evidence::kRigorous;  // of lower
  double rigorous_lower = 0;  // the largest lower bound that rests on Plumb's own arithmetic; at most `lower`
  std::optional<verdict::Witness> witness;  // at distance `upper`; absent if that is infinite
  std::int64_t decisions = 0;               // number of queries put to the engine
  verdict::Statistics statistics;           // of all of them together
};

// The region and the unsafe set must be those of the network's inputs and outputs. `evaluators` must belong to the
// network and not be nullptr. `decide` should have been used for no other question, because it remembers what it left
// open. `minimise` may be empty. Throws DataError, as Query does, if these do not fit together. Nothing is kept after
// the call.
Distortion minimum_distortion(const std::shared_ptr<const network::Network>& network,
                              std::shared_ptr<const attack::NetworkEvaluators> evaluators,
                              const DistortionQuestion& question, NarrowingDecide decide,
                              const verdict::MinimiseDistance& minimise, const DistortionOptions& options,
                              const Limits& limits);

}  // namespace plumb::verify
