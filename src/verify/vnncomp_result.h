// vnncomp_result.h: the answer to a property in the format of VNN-COMP.
//
// In:  the property, its network, the verdict. Out: the text of a results file.
//
// The first line is sat, unsat, timeout or unknown. After sat follows a counterexample. For version 1.0 of VNN-LIB it
// is ((X_0 v) ... (Y_0 v) ...). For version 2.0 it lists each tensor as "name type [dimensions]" with one element per
// line: inputs, hidden values and outputs, network by network. Numbers are printed so that reading them back yields the
// same double. Outputs are those of the network file, so a final softmax or similar operation that was dropped is
// applied to them.
#pragma once

#include <string>

#include "verify/property.h"
#include "vnnlib/formula.h"

namespace plumb::verify {

std::string vnncomp_result(const vnnlib::Script& script, const network::Network& network,
                           const PropertyVerdict& result);

}  // namespace plumb::verify
