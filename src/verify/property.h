// property.h: a property of several cases, decided with one budget.
//
// In:  cases (vnnlib/vnnlib_property.h), an engine that decides queries.
// Out: one verdict: violated if some case is, holds if all do.
//
// Every part of every region is a query of its own. All are attacked briefly; then all get a short time, which settles
// what bounds and attacks settle; what is left gets more and more, those nearest to a proof first, so that one hard
// case does not keep an easy violated one waiting. With one query there is nothing to arrange, and it gets everything.
//
// Sound:  holds rests on regions rounded outward. A witness of the engine's lies in those; it counts only if there is
//         one in the region rounded inward, where the property is satisfied exactly. If there is none, the verdict is
//         unknown and says so. So it is where a strict order of outputs is lost, in float32, behind a last softmax or
//         the like.
#pragma once

#include <memory>

#include "attack/witness_check.h"
#include "base/limits.h"
#include "verdict/verdict.h"
#include "verify/robustness.h"
#include "vnnlib/vnnlib_property.h"

namespace plumb::verify {

struct PropertyVerdict {
  verdict::Verdict verdict;
  std::int64_t queries = 0, decided = 0;     // parts in all, and those that hold
  LimitReached limit = LimitReached::kNone;  // at the end
  double seconds = 0;
};

PropertyVerdict verify_property(const network::Network& network,
                                const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                                const vnnlib::VnnlibProperty& property, const verdict::Decide& decide,
                                const Limits& limits);

}  // namespace plumb::verify
