// objective.h: a linear function of a network's outputs and inputs, as people write it.
//
// In:  "Y_0 - 2*Y_1 + 0.5*X_3 + 1": a sum of terms, each a number, an output Y_k, an input X_i, or a product of a
//      number and one of them. Terms of the same variable are added up. Numbers are exact decimals.
// Out: coefficients that are doubles exactly, after multiplication by a power of ten if that is needed.
// Errors: ArgumentError, with the column, for text that cannot be parsed and for variables that the network does not
//         have; and for coefficients that are not all doubles times one power of ten.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "vnnlib/decimal.h"

namespace plumb::vnnlib {

// The function (outputs . y + inputs . x + constant) / 10^power.
struct Objective {
  std::vector<double> outputs, inputs;  // one number per output and per input of the network
  Decimal constant;
  int power = 0;
};

Objective parse_objective(std::string_view text, std::int64_t input_count, std::int64_t output_count);

// The output Y_k alone. Throws ArgumentError if there is no such output.
Objective output_objective(std::int64_t k, std::int64_t input_count, std::int64_t output_count);

// The objective with all signs changed.
Objective negated(Objective objective);

}  // namespace plumb::vnnlib
