#include "milp/encoding/maximum.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/rounding.h"

namespace plumb::milp {
namespace {

// u_max,-i: the largest upper bound of the other members.
double largest_other(std::span<const Member> members, std::size_t i) {
  double largest = -kInfinity;
  for (std::size_t j = 0; j < members.size(); ++j) {
    if (j != i) largest = std::max(largest, members[j].upper);
  }
  return largest;
}

}  // namespace

MaximumVariables add_maximum(program::Program& program, std::span<const Member> members, const std::string& name) {
  double lower = -kInfinity, upper = -kInfinity;
  for (const Member& member : members) {
    lower = std::max(lower, member.lower);
    upper = std::max(upper, member.upper);
  }
  const program::VariableId y = program.add_variable(lower, upper, name);
  MaximumVariables result{y, {}};
  std::vector<program::Term> sum;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const program::VariableId a = program.add_binary("a" + std::to_string(i) + "_" + name);  // a_i in {0, 1}
    result.indicators.push_back(a);
    sum.push_back({a, 1});
    // y <= x_i + (1 - a_i)(u_max,-i - l_i)
    const double gap = std::max(kLeastBigM, sum_up(largest_other(members, i), -members[i].lower));
    const program::Term if_largest[] = {{y, 1}, {a, gap}}, minus_y{y, -1};
    add_at_most(program, negated(members[i].value), if_largest, gap);
    // y >= x_i
    add_at_most(program, members[i].value, {&minus_y, 1}, 0);
  }
  program.add_row(1, sum, 1);  // sum a_i = 1
  return result;
}

}  // namespace plumb::milp
