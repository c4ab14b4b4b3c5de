#include "milp/encoding/expression.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/random_network.h"

namespace plumb::milp {
namespace {

using testing::uniform;

double number(testing::Random& random) {
  const auto mantissa = static_cast<double>(uniform(random, -1'000'000'007, 1'000'000'007));
  return std::ldexp(mantissa, static_cast<int>(uniform(random, -60, 0)));
}

TEST(Expression, RowsAreMovedOutwardByConstantAndError) {
  testing::Random random(1);
  for (int round = 0; round < 2000; ++round) {
    program::Program program;
    Expression expression = expression_of(program.add_variable(-1, 1));
    expression.constant = number(random);
    expression.error = std::abs(number(random));
    const double lower = number(random), upper = lower + std::abs(number(random));
    const program::RowId row = add_between(program, lower, expression, {}, upper);
    const mpq_class constant(expression.constant), error(expression.error);
    EXPECT_LE(mpq_class(program.lower(row)), mpq_class(lower) - constant - error);
    EXPECT_GE(mpq_class(program.upper(row)), mpq_class(upper) - constant + error);
  }
}

TEST(Expression, CombinedTermsStayWithinTheirError) {
  testing::Random random(2);
  int left_out = 0;
  for (int round = 0; round < 1000; ++round) {
    program::Program program;
    std::vector<program::VariableId> variables;
    std::vector<double> point;
    for (int j = 0; j < 3; ++j) {
      const double bound = std::abs(number(random)) + 1;
      variables.push_back(program.add_variable(-bound, bound));
      point.push_back(bound * static_cast<double>(uniform(random, -8, 8)) / 8);
    }
    Expression expression;
    mpq_class truth = 0;
    for (int k = 0; k < 6; ++k) {
      const auto j = static_cast<std::size_t>(uniform(random, 0, 2));
      const double c = uniform(random, 0, 3) == 0 ? number(random) * 0x1p-40 : number(random);
      expression.terms.push_back({variables[j], c});
      truth += mpq_class(c) * mpq_class(point[j]);
    }
    combine_terms(program, expression, 1e-9);
    mpq_class combined = expression.constant;
    for (std::size_t k = 0; k < expression.terms.size(); ++k) {
      const program::Term& term = expression.terms[k];
      EXPECT_GE(std::abs(term.coefficient), 1e-9);
      EXPECT_TRUE(k == 0 || expression.terms[k - 1].variable < term.variable);
      combined += mpq_class(term.coefficient) * mpq_class(point[static_cast<std::size_t>(term.variable.index)]);
    }
    left_out += expression.terms.size() < 3;
    EXPECT_LE(abs(truth - combined), mpq_class(expression.error));
    const Range range = range_of(program, expression);
    EXPECT_LE(mpq_class(range.lower), truth);
    EXPECT_GE(mpq_class(range.upper), truth);
  }
  EXPECT_GT(left_out, 50);
}

TEST(Expression, TermsThatCancelLeaveNeitherTermNorError) {
  program::Program program;
  const program::VariableId x = program.add_variable(-1, 1);
  Expression expression{{{x, 0.1}, {x, -0.1}}, 2, 0};
  combine_terms(program, expression, 1e-9);
  EXPECT_TRUE(expression.terms.empty());
  EXPECT_EQ(expression.error, 0);
}

}  // namespace
}  // namespace plumb::milp
