// The oracle for properties: formulas whose answers can be found by hand, and numbers written as decimals.
#include "support/exact_formula.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/exact_evaluator.h"
#include "support/nearest_doubles.h"
#include "support/vnnlib_text.h"

namespace plumb::testing {
namespace {

// y = relu(x) - 1, one input.
network::Network one_relu() {
  std::vector<network::Node> nodes{
      {"x", network::Input{0}, {}, {1}},
      {"r", network::Relu{}, {0}, {1}},
      {"y", network::Dense{1, 1, 1, network::Coefficients({1.0}), network::Coefficients({-1.0})}, {1}, {1}}};
  return network::Network(std::move(nodes), {{"x", {1}}}, {{"y", {1}, 2}});
}

LinearSum sum(const mpq_class& of_input, const mpq_class& of_output, const mpq_class& constant) {
  LinearSum result(1, 1);
  result.inputs[0] = of_input;
  result.outputs[0] = of_output;
  result.constant = constant;
  return result;
}

ExactFormula x(Relation relation, const mpq_class& value) {
  return ExactFormula::of({relation, sum(1, 0, 0), sum(0, 0, value)});
}
ExactFormula y(Relation relation, const mpq_class& value) {
  return ExactFormula::of({relation, sum(0, 1, 0), sum(0, 0, value)});
}

bool is_satisfiable(const std::vector<ExactFormula>& conditions) {
  const ExactFormula formula = ExactFormula::all_of(conditions);
  const network::Network network = one_relu();
  const auto witness = exact_witness(network, formula, 100);
  if (!witness) return false;
  const std::vector<mpq_class> output{exact_outputs(network, *witness)[0].low};
  EXPECT_TRUE(holds_at(formula, *witness, output));
  return true;
}

TEST(ExactFormula, TiesAreReachedUnlessTheComparisonIsStrict) {
  using enum Relation;
  const auto bounds = ExactFormula::all_of({x(kGreaterEqual, -1), x(kLessEqual, 2)});
  EXPECT_TRUE(is_satisfiable({bounds, y(kLessEqual, -1)}));
  EXPECT_FALSE(is_satisfiable({bounds, y(kLess, -1)}));
  EXPECT_TRUE(is_satisfiable({bounds, y(kGreaterEqual, 1)}));
  EXPECT_FALSE(is_satisfiable({bounds, y(kGreater, 1)}));
  EXPECT_TRUE(is_satisfiable({bounds, y(kEqual, mpq_class(1, 3))}));
  EXPECT_FALSE(is_satisfiable({bounds, x(kLess, 0), y(kDifferent, -1)}));
  EXPECT_TRUE(is_satisfiable({bounds, x(kLessEqual, mpq_class(1, 1000000)), y(kDifferent, -1)}));
}

TEST(ExactFormula, StrictComparisonsMustHoldAtOnePoint) {
  using enum Relation;
  EXPECT_FALSE(is_satisfiable({x(kGreater, 1), x(kLess, 1)}));
  EXPECT_TRUE(is_satisfiable({x(kGreater, 1), x(kLess, mpq_class("100000000000000000001/100000000000000000000"))}));
  EXPECT_FALSE(
      is_satisfiable({x(kGreaterEqual, 0), x(kLess, 1), ExactFormula::any_of({y(kGreaterEqual, 0), y(kLess, -1)})}));
}

TEST(ExactFormula, MovingEveryComparisonDecidesWhatIsATie) {
  using enum Relation;
  const network::Network network = one_relu();
  const auto satisfiable = [&](const ExactFormula& formula, const mpq_class& amount) {
    return exact_witness(network, loosened(formula, amount), 100).has_value();
  };
  const auto touching = ExactFormula::all_of({x(kGreaterEqual, 0), x(kLessEqual, 1), y(kGreaterEqual, 0)});
  EXPECT_TRUE(satisfiable(touching, 0));
  EXPECT_FALSE(satisfiable(touching, mpq_class(-1, 10)));
  const auto missed = ExactFormula::all_of({x(kGreaterEqual, 0), x(kLessEqual, 1), y(kGreater, 0)});
  EXPECT_FALSE(satisfiable(missed, 0));
  EXPECT_TRUE(satisfiable(missed, mpq_class(1, 10)));
  EXPECT_FALSE(satisfiable(x(kEqual, 0), mpq_class(-1, 10)));
}

TEST(NearestDoubles, StandForInputsThatHaveNoDoubleWithinTheirBounds) {
  using enum Relation;
  const auto at = [](const ExactFormula& formula, double point) {
    return holds_at_nearest_doubles(formula, exact_point({point}), exact_point({-1}));
  };
  const mpq_class tenth(1, 10);
  EXPECT_TRUE(at(x(kEqual, tenth), 0.1));
  EXPECT_FALSE(at(x(kEqual, tenth), 0.1F));
  const auto wide = ExactFormula::all_of({x(kGreaterEqual, tenth), x(kLessEqual, tenth + mpq_class(1, 1000))});
  EXPECT_FALSE(at(wide, std::nextafter(0.1, 0.0)));
  EXPECT_FALSE(at(ExactFormula::all_of({x(kEqual, tenth), y(kGreaterEqual, 0)}), 0.1));
}

TEST(VnnlibText, DecimalsAreExact) {
  EXPECT_EQ(decimal_text(mpq_class(-3, 8)), "-0.375");
  EXPECT_EQ(decimal_text(mpq_class(120)), "120");
  EXPECT_EQ(decimal_text(mpq_class(1, 1000)), "0.001");
  EXPECT_THROW(decimal_text(mpq_class(1, 3)), std::logic_error);
  EXPECT_EQ(cut_decimal(mpq_class(2, 3), 4), mpq_class(3333, 5000));
}

}  // namespace
}  // namespace plumb::testing
