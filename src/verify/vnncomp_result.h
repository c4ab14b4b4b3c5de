// vnncomp_result.h: an answer as the competition wants it.
//
// In:  the property, its network, the verdict. Out: the text of a results file: sat, unsat, timeout or unknown on the
// first line, and a counterexample after sat: ((X_0 v) ... (Y_0 v) ...) for version 1.0; for 2.0 each tensor as
// "name type [dimensions]" and one element a line, inputs, hidden values and outputs, network by network. Numbers are
// printed so that reading them back gives the same double. Outputs are those of the file that the network was read
// from: behind a last softmax or the like that was dropped.
#pragma once

#include <string>

#include "verify/property.h"
#include "vnnlib/formula.h"

namespace plumb::verify {

std::string vnncomp_result(const vnnlib::Script& script, const network::Network& network,
                           const PropertyVerdict& result);

}  // namespace plumb::verify
