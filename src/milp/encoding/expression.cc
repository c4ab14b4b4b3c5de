#include "milp/encoding/expression.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/rounding.h"

namespace plumb::milp {
namespace {

double magnitude(const program::Program& program, program::VariableId variable) {
  return std::max(std::abs(program.lower(variable)), std::abs(program.upper(variable)));
}

}  // namespace

Expression expression_of(program::VariableId variable) { return {{{variable, 1}}, 0, 0}; }

Expression negated(Expression expression) {
  for (program::Term& term : expression.terms) term.coefficient = -term.coefficient;
  expression.constant = -expression.constant;
  return expression;
}

program::RowId add_between(program::Program& program, double lower, const Expression& expression,
                           std::span<const program::Term> more, double upper, std::string name) {
  std::vector<program::Term> terms = expression.terms;
  terms.insert(terms.end(), more.begin(), more.end());
  const double low = sum_down(sum_down(lower, -expression.constant), -expression.error);
  const double high = sum_up(sum_up(upper, -expression.constant), expression.error);
  return program.add_row(low, terms, high, std::move(name));
}

program::RowId add_at_most(program::Program& program, const Expression& expression, std::span<const program::Term> more,
                           double upper, std::string name) {
  return add_between(program, -kInfinity, expression, more, upper, std::move(name));
}

void combine_terms(const program::Program& program, Expression& expression, double smallest) {
  std::vector<program::Term>& terms = expression.terms;
  const auto by_variable = [](const program::Term& a, const program::Term& b) { return a.variable < b.variable; };
  if (!std::ranges::is_sorted(terms, by_variable)) std::ranges::stable_sort(terms, by_variable);
  std::vector<program::Term> kept;
  const auto charge = [&](const program::Term& what) {
    const double lost = product_up(std::abs(what.coefficient), magnitude(program, what.variable));
    expression.error = sum_up(expression.error, lost);
  };
  for (std::size_t i = 0; i < terms.size();) {
    program::Term sum = terms[i];
    for (++i; i < terms.size() && terms[i].variable == sum.variable; ++i) {
      const double low = sum_down(sum.coefficient, terms[i].coefficient);
      const double high = sum_up(sum.coefficient, terms[i].coefficient);
      if (low != high) charge({sum.variable, sum_up(high, -low)});
      sum.coefficient = low;
    }
    if (sum.coefficient == 0) continue;
    if (std::abs(sum.coefficient) < smallest)
      charge(sum);
    else
      kept.push_back(sum);
  }
  terms = std::move(kept);
}

Range range_of(const program::Program& program, const Expression& expression) {
  Range range{sum_down(expression.constant, -expression.error), sum_up(expression.constant, expression.error)};
  for (const auto& [variable, coefficient] : expression.terms) {
    const double least = coefficient > 0 ? program.lower(variable) : program.upper(variable);
    const double most = coefficient > 0 ? program.upper(variable) : program.lower(variable);
    range.lower = sum_down(range.lower, product_down(coefficient, least));
    range.upper = sum_up(range.upper, product_up(coefficient, most));
  }
  return range;
}

}  // namespace plumb::milp
