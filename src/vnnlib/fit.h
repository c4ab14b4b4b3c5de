// fit.h: checks that the declarations of a property match a network.
//
// Errors: DataError if a number of elements or an element type differs, or if the ONNX file does not have the names
// that the property uses.
#pragma once

#include <string>
#include <vector>

#include "network/network.h"
#include "vnnlib/formula.h"

namespace plumb::vnnlib {

// Checks one declaration: inputs in their order, outputs in theirs, hidden values after the outputs. Returns notices
// about shapes that differ although the numbers of elements agree.
std::vector<std::string> check_fit(const DeclaredNetwork& declared, const network::Network& network,
                                   const std::string& name);

// The same for everything that a property declares. If it declares several networks, `network` is their join, and each
// of them has been checked before.
std::vector<std::string> check_fit(const Script& script, const network::Network& network, const std::string& name);

// The network with its inputs and outputs in the order in which they are declared. They are matched by their order,
// unless the property gives their names in the ONNX file. Then they are matched by name, and all inputs (or all
// outputs) must have a name. Hidden values stay where they are.
network::Network in_declared_order(const DeclaredNetwork& declared, network::Network network, const std::string& name);

// An input's name as the property writes it: X_3, or X[0,3].
std::string input_name(const Script& script, std::int64_t input);

}  // namespace plumb::vnnlib
