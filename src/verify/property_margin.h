// property_margin.h: how far a property is from being violated, or how badly it is violated: the least margin over all
// of its cases.
//
// In:  a property (vnnlib/vnnlib_property.h), any engine that decides queries.
// Out: the interval of worst_margin.h for the property as a whole. The margin of a case is minus the slack of its
// unsafe
//      set (attack/slack.h).
//
// Cases are measured one after the other. A case is left as soon as its margins are proven to be no smaller than one
// that was found before. Each case gets an equal share of the limits that are left.
//
// Sound: lower is the least of the cases' lower ends, and upper the least of their upper ends. lower is rigorous if the
//        lower ends of all cases are rigorous, or at least those below which it could not be.
#pragma once

#include <functional>

#include "verify/worst_margin.h"

namespace plumb::verify {

// `narrowing` returns an engine that has not been used yet. A property without cases has infinite margins.
WorstMargin property_margin(const std::shared_ptr<const bounds::BoundedNetwork>& network,
                            const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                            const vnnlib::VnnlibProperty& property, const std::function<NarrowingDecide()>& narrowing,
                            const verdict::MinimiseMargin& minimise, const WorstMarginOptions& options,
                            const Limits& limits);

}  // namespace plumb::verify
