// fit.h: whether a property's declarations are those of a network.
//
// Errors: DataError if a number of elements or an element type differs, or if the ONNX file calls its tensors
// otherwise.
#pragma once

#include <string>
#include <vector>

#include "network/network.h"
#include "vnnlib/formula.h"

namespace plumb::vnnlib {

// Whether a network has what one declaration says: inputs in their order, outputs in theirs, hidden values after these.
// Returns notices: shapes that differ although the number of elements is the same.
std::vector<std::string> check_fit(const DeclaredNetwork& declared, const network::Network& network,
                                   const std::string& name);

// The same of all that a property declares. Several networks were joined to one, and looked at before that.
std::vector<std::string> check_fit(const Script& script, const network::Network& network, const std::string& name);

// The network with its inputs and outputs in the order in which they are declared. They are matched by their order,
// unless the property gives their names in the ONNX file: then by these, and all inputs (or all outputs) must have one.
// Hidden values stay where they are.
network::Network in_declared_order(const DeclaredNetwork& declared, network::Network network, const std::string& name);

// An input's name as the property writes it: X_3, or X[0,3].
std::string input_name(const Script& script, std::int64_t input);

}  // namespace plumb::vnnlib
