// expression.h: an affine function of a program's variables that a true quantity stays close to.
//
//     |true value - (terms . x + constant)| <= error,   at every true point of the region.
//
// Rows made of expressions are relaxations: the error and all rounding widen them, so that no true point is cut off.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "program/program.h"

namespace plumb::milp {

// Coefficients of indicators are at least this large. They come from bounds, and wider bounds are valid ones; one of
// 1e-17, which rounding leaves where the truth is zero, would be taken for zero by some solvers and upset the scaling
// of others.
inline constexpr double kLeastBigM = 1e-6;

struct Expression {
  std::vector<program::Term> terms;  // each variable once
  double constant = 0;
  double error = 0;
};

Expression expression_of(program::VariableId variable);
Expression negated(Expression expression);

// Rows lower <= expression + more <= upper, the sides moved outward. Variables in `more` are none of the expression's.
program::RowId add_between(program::Program& program, double lower, const Expression& expression,
                           std::span<const program::Term> more, double upper, std::string name = "");
program::RowId add_at_most(program::Program& program, const Expression& expression, std::span<const program::Term> more,
                           double upper, std::string name = "");

// Adds up what the terms say of one variable, and leaves out those with |coefficient| < smallest, which a solver would
// take for zero; what that changes goes to the error, from the variables' bounds (which must be finite there).
void combine_terms(const program::Program& program, Expression& expression, double smallest);

// What the expression's true value lies between, from the variables' bounds alone.
struct Range {
  double lower = 0, upper = 0;
};
Range range_of(const program::Program& program, const Expression& expression);

}  // namespace plumb::milp
