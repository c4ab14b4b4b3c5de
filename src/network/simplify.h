// simplify.h: the same function with fewer operations.
//
// Batch normalisation and input normalisation are folded into neighbouring affine maps, chains of dense maps become one
// map, index maps are composed, and operations that change nothing or that no output needs are removed. A convolution
// never becomes dense, and no fusion needs more coefficients than it replaces. Units that repeat others, or are their
// exact opposites, share one if that is asked for (repeated_units.h).
//
// The result has no direct forms. It keeps the original network (as_stored()) for evaluation.
//
// Sound: the result is the same real-valued function. Folded coefficients carry a bound on their rounding
//        (coefficients.h), so that bounds on the result are bounds on the original.
#pragma once

#include "network/network.h"

namespace plumb::network {

// Whether units that repeat others share one. Searches are faster then, but people and certificates name units as the
// file has them.
enum class RepeatedUnitsAre { kKept, kShared };

Network simplified(const Network& network, RepeatedUnitsAre repeated = RepeatedUnitsAre::kKept);

// The same function, with one unit for all that repeat each other; the network itself if none do.
std::shared_ptr<const Network> with_shared_units(std::shared_ptr<const Network> network);

}  // namespace plumb::network
