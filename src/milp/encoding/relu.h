// relu.h: y = max(x, 0) as rows of a mixed-integer program.
//
// Sound:   every true point satisfies the rows, given lower <= x <= upper.
// Exact:   with the indicator at 0 or 1, y is max(x, 0) up to the expression's error.
// Follows: Tjeng et al., equation (5) and appendix A.1.
#pragma once

#include "milp/encoding/expression.h"

namespace plumb::milp {

// kSymmetric replaces both bounds by the larger of their magnitudes: the paper's third ablation.
enum class BigM { kAsymmetric, kSymmetric };

struct ReluVariables {
  program::VariableId value, indicator;
};

// The unit must have lower < 0 < upper. `name` is the name of the unit.
ReluVariables add_relu(program::Program& program, const Expression& argument, double lower, double upper, BigM form,
                       const std::string& name);

}  // namespace plumb::milp
