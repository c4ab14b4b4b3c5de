// distortion.h: how near to a sample the unsafe set is.
//
// In:  a growing region, an unsafe set, any engine that decides queries. Out: an interval that contains the minimum
//      distortion: nothing unsafe lies within `lower` (proven), and a confirmed witness lies at `upper`.
//
// A bracket that shrinks from both ends:
//   prove      at growing radii, while that takes next to no work
//   attack     at growing radii from there on, until there is a first witness
//   shrink     the witness is moved towards the sample while it stays one
//   minimise   where there is one: a solver's nearest point (milp/milp_distortion.h), a bound and a better witness
//   decide     at radii below the witness: well below first, for an early lower end, and then close to it, where one
//              proof closes the bracket. A witness found there is shrunk and takes its place, and the search goes on
//              with what it had not closed by then (narrowing.h).
// Near the threshold an engine may be unable to tell: its point is unsafe by less than a run time's rounding, and no
// witness. Then radii go down until something is proven, and up while nearer witnesses are found; the interval that is
// left says how far float32 can tell.
//
// Sound:  lower is a radius at which an engine's verdict was `holds`; its evidence is that verdict's. upper is the
//         distance of a witness as attack/witness_check.h confirms them, rounded up. Limits end the work with what is
//         known.
// Trusts: the engine.
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
};

struct DistortionOptions {
  double gap = 1e-6;  // relative: upper - lower <= gap upper
  attack::AttackOptions attack{.steps = 30, .restarts = 8};
};

struct Distortion {
  double lower = 0;
  double upper = 0;  // infinite without a witness
  // The gap is closed, or there is no unsafe point at all (then upper is infinite and lower the region's reach).
  bool exact = false;
  std::string reason;                                         // why it ended
  verdict::Evidence evidence = verdict::Evidence::kRigorous;  // of lower
  double rigorous_lower = 0;                                  // the largest that rests on Plumb's own arithmetic
  std::optional<verdict::Witness> witness;
  std::int64_t decisions = 0;      // queries that the engine was asked
  verdict::Statistics statistics;  // of all of them together
};

// `minimise` may be empty. The evaluators are those of the network.
Distortion minimum_distortion(const network::Network& network,
                              std::shared_ptr<const attack::NetworkEvaluators> evaluators,
                              const DistortionQuestion& question, NarrowingDecide decide,
                              const verdict::MinimiseDistance& minimise, const DistortionOptions& options,
                              const Limits& limits);

}  // namespace plumb::verify
