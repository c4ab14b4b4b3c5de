#include "program/program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"

namespace plumb::program {
namespace {

const double kNan = std::nan("");

TEST(Program, StoresWhatItWasGiven) {
  Program program;
  const VariableId x = program.add_variable(-kInfinity, 3, "x"), b = program.add_binary(),
                   k = program.add_integer(1, 5);
  const RowId row = program.add_row(0, {{k, 2}, {x, 0.1}}, 4, "sum");
  program.set_objective({{b, -1}}, 7);
  program.set_quadratic({{x, 2}});
  EXPECT_EQ(program.variables(), 3);
  EXPECT_EQ(program.integer_variables(), 2);
  EXPECT_EQ(program.lower(x), -kInfinity);
  EXPECT_EQ(program.upper(b), 1);
  EXPECT_EQ(program.integrality(k), Integrality::kInteger);
  EXPECT_EQ(program.name(x), "x");
  EXPECT_EQ(program.name(b), "x1");
  EXPECT_EQ(program.name(row), "sum");
  EXPECT_EQ(program.row(row).columns[0], k.index);
  EXPECT_EQ(program.row(row).coefficients[1], 0.1);
  EXPECT_TRUE(program.is_quadratic());
  const std::vector<double> point = {3, 1, 2};
  EXPECT_EQ(program.objective(point), 7 - 1 + 18);
  EXPECT_DOUBLE_EQ(program.activity(row, point), 4.3);
}

TEST(Program, LeavesZeroCoefficientsOut) {
  Program program;
  const VariableId x = program.add_variable(0, 1), y = program.add_variable(0, 1);
  const RowId row = program.add_row(0, {{x, 0}, {y, 1}}, 1);
  EXPECT_EQ(program.nonzeros(), 1);
  EXPECT_EQ(program.row(row).columns[0], y.index);
  program.set_quadratic({{x, 0}});
  EXPECT_FALSE(program.is_quadratic());
}

TEST(Program, RefusesWhatIsNoProgram) {
  Program program;
  const VariableId x = program.add_variable(0, 1, "x");
  EXPECT_THROW(program.add_variable(1, 0), InternalError);
  EXPECT_THROW(program.add_variable(kNan, 1), InternalError);
  EXPECT_THROW(program.add_variable(0, kNan), InternalError);
  EXPECT_THROW(program.add_variable(kInfinity, kInfinity), InternalError);
  EXPECT_THROW(program.add_variable(-kInfinity, -kInfinity), InternalError);
  EXPECT_THROW(program.add_row(2, {{x, 1}}, 1), InternalError);
  EXPECT_THROW(program.add_row(0, {{x, kNan}}, 1), InternalError);
  EXPECT_THROW(program.add_row(0, {{x, kInfinity}}, 1), InternalError);
  EXPECT_THROW(program.add_row(0, {{VariableId{1}, 1}}, 1), InternalError);
  EXPECT_THROW(program.add_row(0, {{VariableId{}, 1}}, 1), InternalError);
  EXPECT_THROW(program.add_row(0, {{x, 1}, {x, 1}}, 1), InternalError);
  EXPECT_THROW(program.set_objective({{x, 1}, {x, 1}}), InternalError);
  EXPECT_THROW(program.set_objective({{x, 1}}, kNan), InternalError);
  EXPECT_THROW(program.set_quadratic({{x, -1}}), InternalError);
  EXPECT_THROW(program.set_bounds(x, 2, 1), InternalError);
  EXPECT_THROW(program.set_bounds(program.add_binary(), 0, 2), InternalError);
  EXPECT_THROW(program.name(RowId{0}), InternalError);
}

TEST(Program, IsUnchangedByWhatItRefused) {
  Program program;
  const VariableId x = program.add_variable(0, 1), y = program.add_variable(0, 1);
  program.set_objective({{x, 5}}, 1);
  EXPECT_THROW(program.set_objective({{y, 2}, {y, 3}}), InternalError);
  EXPECT_THROW(program.add_row(0, {{x, 1}, {y, kNan}}, 1), InternalError);
  EXPECT_EQ(program.cost(x), 5);
  EXPECT_EQ(program.offset(), 1);
  EXPECT_EQ(program.rows(), 0);
  EXPECT_EQ(program.nonzeros(), 0);
  program.add_row(0, {{x, 1}, {y, 1}}, 1);  // neither row counts as a repetition
}

TEST(Program, RelaxationForgetsIntegersOnly) {
  Program program;
  const VariableId b = program.add_binary(), k = program.add_integer(-2, 9);
  program.set_objective({{k, 1}});
  const Program relaxed = program.relaxation();
  EXPECT_FALSE(relaxed.is_integer());
  EXPECT_EQ(relaxed.integrality(b), Integrality::kContinuous);
  EXPECT_EQ(relaxed.upper(k), 9);
  EXPECT_EQ(relaxed.cost(k), 1);
}

}  // namespace
}  // namespace plumb::program
