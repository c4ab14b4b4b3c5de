// maximum.h: y = max(x_1, ..., x_m) as rows of a mixed-integer program.
//
// Sound:   every true point satisfies the rows, given lower_i <= x_i <= upper_i.
// Exact:   if an indicator is 1, y is that member and the largest, up to the expressions' errors.
// Follows: Tjeng et al., proposition 1, equation (6) and appendix A.2.
#pragma once

#include "milp/encoding/expression.h"

namespace plumb::milp {

struct Member {
  Expression value;
  double lower = 0, upper = 0;
};

struct MaximumVariables {
  program::VariableId value;
  std::vector<program::VariableId> indicators;  // one per member
};

// There must be at least two members, all of them possible winners (bounds/relaxation.h). `name` is the name of the
// unit.
MaximumVariables add_maximum(program::Program& program, std::span<const Member> members, const std::string& name);

}  // namespace plumb::milp
