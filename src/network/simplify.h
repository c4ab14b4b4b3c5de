// simplify.h: the same function with fewer operations.
//
// Batch normalisation and input normalisation are folded into the affine maps beside them, chains of dense
// maps become one, index maps are composed, what changes nothing is dropped, what no output needs is removed.
// A convolution never becomes dense, and no fusion needs more coefficients than it replaces.
//
// Direct forms are left out: the result keeps the original (as_stored()) for evaluation.
//
// Sound: the result is the same real-valued function. Folded coefficients carry a bound on their rounding
//        (coefficients.h), so that bounds on the result are bounds on the original.
#pragma once

#include "network/network.h"

namespace plumb::network {

Network simplified(const Network& network);

}  // namespace plumb::network
