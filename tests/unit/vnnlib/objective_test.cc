#include "vnnlib/objective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "vnnlib/box_file.h"
#include "vnnlib/input_assertions.h"
#include "vnnlib/parser.h"
#include "vnnlib_text.h"

namespace plumb::vnnlib {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two inputs and three outputs.
Objective parsed(std::string_view text) { return parse_objective(text, 2, 3); }

std::string mistake(std::string_view text) {
  try {
    parsed(text);
  } catch (const ArgumentError& error) {
    return error.problem();
  }
  return "none";
}

TEST(Objective, IsASumOfTermsInAnyOrder) {
  const Objective objective = parsed(" - 2*Y_1 +Y_0+ X_1*0.5 - 3 ");
  EXPECT_THAT(objective.outputs, ElementsAre(1, -2, 0));
  EXPECT_THAT(objective.inputs, ElementsAre(0, 0.5));
  EXPECT_EQ(objective.constant, Decimal(-3));
  EXPECT_EQ(objective.power, 0);
}

TEST(Objective, RepeatedTermsAreAddedExactlyAndMayCancel) {
  const Objective objective = parsed("0.1*Y_0 + 0.2*Y_0 - 0.3*Y_0 + 2*3*Y_2 - -Y_2 + 0*X_0");
  EXPECT_THAT(objective.outputs, ElementsAre(0, 0, 7));
  EXPECT_THAT(objective.inputs, ElementsAre(0, 0));
}

TEST(Objective, CoefficientsThatAreNotDoublesAreMultipliedByAPowerOfTen) {
  const Objective objective = parsed("0.1*Y_0 - 1.25*X_0 + 0.007");
  EXPECT_THAT(objective.outputs, ElementsAre(10, 0, 0));
  EXPECT_THAT(objective.inputs, ElementsAre(-125, 0));
  EXPECT_EQ(objective.power, 2);
  EXPECT_EQ(objective.constant, *Decimal::parse("0.7"));
  EXPECT_THAT(mistake("1e-30*Y_0 + Y_1"), HasSubstr("not doubles"));
}

TEST(Objective, MistakesAreNamedWithTheirColumn) {
  EXPECT_EQ(mistake(""), "column 1: expected a number, Y_k or X_i, found the end");
  EXPECT_EQ(mistake("Y_0 - 2*"), "column 9: expected a number, Y_k or X_i, found the end");
  EXPECT_EQ(mistake("Y_0 Y_1"), "column 5: expected +, - or *, found 'Y'");
  EXPECT_EQ(mistake("2Y_0"), "column 2: expected +, - or *, found 'Y'");
  EXPECT_EQ(mistake("1 + Z_1"), "column 5: expected Y_k or X_i, found 'Z_1'");
  EXPECT_EQ(mistake("Y_3"), "column 1: the network has no Y_3: its outputs are Y_0 to Y_2");
  EXPECT_EQ(mistake("X_99999999999999999999"),
            "column 1: the network has no X_99999999999999999999: its inputs are X_0 to X_1");
  EXPECT_EQ(mistake("Y_0*Y_1"), "column 5: a product of two variables is not linear");
  EXPECT_THAT(mistake("Y_-1"), HasSubstr("column 1: expected Y_k or X_i, found 'Y_'"));
  EXPECT_THAT(mistake("1..2"), HasSubstr("found '1..2'"));
  EXPECT_THAT(mistake("1e400 + Y_0"), HasSubstr("too large"));
  EXPECT_THAT(mistake("(Y_0)"), HasSubstr("column 1: expected a number, Y_k or X_i, found '('"));
}

VnnlibProperty box(const std::string& text, std::int64_t inputs) {
  return lower_vnnlib(parse_box(text, "box.csv", inputs), copying_network(inputs, 1), "box.csv");
}

std::string box_mistake(const std::string& text, std::int64_t inputs) {
  try {
    box(text, inputs);
  } catch (const DataError& error) {
    return error.what();
  }
  return "none";
}

TEST(BoxFile, IsRoundedOutwardForProofsAndInwardForPoints) {
  const VnnlibProperty property = box("# two inputs\n0.1, 0.7\n\n-1\t0.5 # the second\n", 2);
  ASSERT_EQ(property.cases.size(), 1U);
  const auto outer = enclosing_box(property.cases[0].region), inner = enclosing_box(property.cases[0].inner_region);
  EXPECT_LT(Decimal::exactly(outer.lower[0]), *Decimal::parse("0.1"));
  EXPECT_GT(Decimal::exactly(inner.lower[0]), *Decimal::parse("0.1"));
  EXPECT_GT(Decimal::exactly(outer.upper[0]), *Decimal::parse("0.7"));
  EXPECT_LT(Decimal::exactly(inner.upper[0]), *Decimal::parse("0.7"));
  EXPECT_EQ(outer.lower[1], -1);
  EXPECT_EQ(inner.upper[1], 0.5);
}

TEST(BoxFile, OneLineStandsForAllInputs) {
  const auto outer = enclosing_box(box("-1,2", 3).cases[0].region);
  EXPECT_THAT(outer.lower, ElementsAre(-1, -1, -1));
  EXPECT_THAT(outer.upper, ElementsAre(2, 2, 2));
}

TEST(BoxFile, MistakesAreNamedWithTheirLine) {
  EXPECT_EQ(box_mistake("0,1\n0,1\n", 3), "box.csv: 2 lines for a network of 3 inputs");
  EXPECT_EQ(box_mistake("0,1\n1,0\n", 2), "box.csv: line 2: the lower bound 1 is above the upper bound 0");
  EXPECT_EQ(box_mistake("# nothing\n", 2), "box.csv: contains no bounds");
  EXPECT_EQ(box_mistake("0,inf\n", 1), "box.csv: line 1: expected a decimal number, found 'inf'");
  EXPECT_EQ(box_mistake("0,1,2\n", 1), "box.csv: line 1: expected a decimal number, found '1,2'");
  EXPECT_EQ(box_mistake("7\n", 1), "box.csv: line 1: '7' is not of the form LO,HI");
}

TEST(InputAssertions, AreWhatIsLeftWithoutConditionsOnOutputs) {
  Script script = parse(
      declared(2, 1) + kUnitBox + "(assert (or (and (<= X_0 0.5) (<= Y_0 0)) (and (>= X_1 X_0) (>= Y_0 1))))", "p");
  EXPECT_TRUE(mentions_outputs(script.assertions));
  script.assertions = about_inputs(std::move(script.assertions));
  EXPECT_FALSE(mentions_outputs(script.assertions));
  const VnnlibProperty region = lower_vnnlib(script, copying_network(2, 1), "p");
  ASSERT_EQ(region.cases.size(), 1U);
  ASSERT_EQ(region.cases[0].region.parts().size(), 2U);
  EXPECT_TRUE(contains(region.cases[0].region, std::vector<double>{0.25, 0}));
  EXPECT_TRUE(contains(region.cases[0].region, std::vector<double>{0.75, 0.8}));
  EXPECT_FALSE(contains(region.cases[0].region, std::vector<double>{0.75, 0.7}));
}

// Nothing is said about inputs beside the output: every input of the box may satisfy the assertions.
TEST(InputAssertions, AnAlternativeWithoutInputsKeepsTheWholeRegion) {
  Script script = parse(declared(2, 1) + kUnitBox + "(assert (or (<= X_0 0.5) (>= Y_0 1)))", "p");
  script.assertions = about_inputs(std::move(script.assertions));
  const VnnlibProperty region = lower_vnnlib(script, copying_network(2, 1), "p");
  EXPECT_TRUE(contains(region.cases[0].region, std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace plumb::vnnlib
