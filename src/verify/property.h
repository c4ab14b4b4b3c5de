// property.h: decides a property of several cases within one budget.
//
// In:  cases (vnnlib/vnnlib_property.h), an engine that decides queries.
// Out: one verdict: violated if some case is violated, holds if all cases hold.
//
// Every part of every region is a query of its own. All queries are attacked briefly. Then each gets a short time,
// which is enough where bounds and attacks settle it. The remaining ones get more and more time, those nearest to a
// proof first, so that one hard query does not delay an easy violated one. A single query gets all the time at once.
//
// Sound:  holds rests on regions rounded outward. A witness of the engine lies in such a region. It counts only if
//         there is one in the region rounded inward, where the property's assertions are satisfied exactly. If there is
//         none, the verdict is unknown and its reason says so. The verdict is also unknown if a strict order of outputs
//         is lost in float32 behind a final softmax or a similar operation.
#pragma once

#include <memory>

#include "attack/gradient_attack.h"
#include "base/limits.h"
#include "verdict/verdict.h"
#include "verify/robustness.h"
#include "vnnlib/vnnlib_property.h"

namespace plumb::verify {

struct PropertyVerdict {
  verdict::Verdict verdict;
  std::int64_t queries = 0, decided = 0;     // number of parts, and of those that hold
  LimitReached limit = LimitReached::kNone;  // that was reached at the end
  std::int64_t evaluations = 0;              // in attacks before the engine: of the network with its gradient
  double seconds = 0;
};

PropertyVerdict verify_property(const std::shared_ptr<const network::Network>& network,
                                const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                                const vnnlib::VnnlibProperty& property, const verdict::Decide& decide,
                                const Limits& limits);

// Attacks every part, with these options each, and asks no engine: the answer is violated or unknown, or holds if there
// is no part.
PropertyVerdict attack_property(const std::shared_ptr<const network::Network>& network,
                                const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                                const vnnlib::VnnlibProperty& property, const attack::AttackOptions& options,
                                const Limits& limits);

}  // namespace plumb::verify
