// expression.h: an affine function of a program's variables that approximates a true quantity.
//
//     |true value - (terms . x + constant)| <= error,   at every true point of the region.
//
// Rows made from expressions are relaxations: the error and all rounding widen them, so that no true point is cut off.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "program/program.h"

namespace plumb::milp {

// Coefficients of indicators are at least this large. They come from bounds, which may always be wider. Where the true
// value is zero, rounding may leave a coefficient such as 1e-17, which some solvers would take for zero and which would
// upset the scaling of others.
inline constexpr double kLeastBigM = 1e-6;

struct Expression {
  std::vector<program::Term> terms;  // each variable once
  double constant = 0;
  double error = 0;
};

Expression expression_of(program::VariableId variable);
Expression negated(Expression expression);

// Adds the row lower <= expression + more <= upper, with its sides moved outward. Variables in `more` must not occur in
// the expression.
program::RowId add_between(program::Program& program, double lower, const Expression& expression,
                           std::span<const program::Term> more, double upper, std::string name = "");
program::RowId add_at_most(program::Program& program, const Expression& expression, std::span<const program::Term> more,
                           double upper, std::string name = "");

// Adds up the coefficients of each variable, and leaves out terms with |coefficient| < smallest, which a solver would
// take for zero. What that changes is added to the error, using the variables' bounds (which must be finite there).
void combine_terms(const program::Program& program, Expression& expression, double smallest);

// A range that contains the expression's true value, from the variables' bounds alone.
struct Range {
  double lower = 0, upper = 0;
};
Range range_of(const program::Program& program, const Expression& expression);

}  // namespace plumb::milp
