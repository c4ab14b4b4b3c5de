#include "milp/encoding/relu.h"
#include "base/numbers.h"

#include <algorithm>

namespace plumb::milp {

ReluVariables add_relu(program::Program& program, const Expression& argument, double lower, double upper, BigM form,
                       const std::string& name) {
  lower = std::min(lower, -kLeastBigM);
  upper = std::max(upper, kLeastBigM);
  if (form == BigM::kSymmetric) {
    upper = std::max(-lower, upper);
    lower = -upper;
  }
  const program::VariableId y = program.add_variable(0, upper, name);  // y >= 0
  const program::VariableId a = program.add_binary("a_" + name);       // a in {0, 1}
  const program::Term minus_y{y, -1}, lower_if_active[] = {{y, 1}, {a, -lower}};
  // y <= x - l (1 - a)  as  y - x - l a <= -l
  add_at_most(program, negated(argument), lower_if_active, -lower);
  // y >= x  as  x - y <= 0
  add_at_most(program, argument, {&minus_y, 1}, 0);
  // y <= u a
  program.add_row(-kInfinity, {{y, 1}, {a, -upper}}, 0);
  return {y, a};
}

}  // namespace plumb::milp
