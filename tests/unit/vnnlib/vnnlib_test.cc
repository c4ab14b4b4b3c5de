#include "vnnlib/vnnlib_property.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/thrown_error.h"
#include "unit/vnnlib/vnnlib_text.h"
#include "vnnlib/parser.h"

namespace plumb::vnnlib {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const char* const kUnitBox = "(assert (>= X_0 0)) (assert (<= X_0 1)) (assert (>= X_1 0)) (assert (<= X_1 1))";

const property::Box& box_of(const property::SimpleRegion& part) { return std::get<property::Box>(part); }

TEST(Vnnlib, ABoxAndAConjunction) {
  const VnnlibProperty p = property(2, 2, R"(
    (assert (<= X_0 0.75)) (assert (>= X_0 -2.5e-1)) ; a comment
    (assert (and (>= X_1 -1) (<= X_1 2)))
    (assert (<= Y_0 Y_1)) (assert (>= Y_1 3)))");
  ASSERT_THAT(p.cases, SizeIs(1));
  const PropertyCase& only = p.cases[0];
  ASSERT_THAT(only.region.parts(), SizeIs(1));
  EXPECT_THAT(box_of(only.region.parts()[0]).lower, ElementsAre(-0.25, -1));
  EXPECT_THAT(box_of(only.region.parts()[0]).upper, ElementsAre(0.75, 2));
  ASSERT_THAT(only.unsafe.conjunctions, SizeIs(1));
  ASSERT_THAT(only.unsafe.conjunctions[0], SizeIs(2));
  EXPECT_THAT(only.unsafe.conjunctions[0][0].outputs, ElementsAre(1, -1));
  EXPECT_EQ(only.unsafe.conjunctions[0][0].bound, 0);
  EXPECT_THAT(only.unsafe.conjunctions[0][1].outputs, ElementsAre(0, -1));
  EXPECT_EQ(only.unsafe.conjunctions[0][1].bound, -3);
  EXPECT_FALSE(only.unsafe.conjunctions[0][1].strict);
}

TEST(Vnnlib, BoundsThatAreNoDoublesAreRoundedOutwardForProofsAndInwardForWitnesses) {
  const VnnlibProperty p = property(1, 1, "(assert (>= X_0 0.1)) (assert (<= X_0 0.3)) (assert (<= Y_0 0.7))");
  const property::Box &outer = box_of(p.cases[0].region.parts()[0]),
                      &inner = box_of(p.cases[0].inner_region.parts()[0]);
  EXPECT_EQ(outer.lower[0], std::nextafter(0.1, 0));  // the double nearest to 0.1 lies above it
  EXPECT_EQ(inner.lower[0], 0.1);
  EXPECT_EQ(outer.upper[0], std::nextafter(0.3, 1));  // the double nearest to 0.3 lies below it
  EXPECT_EQ(inner.upper[0], 0.3);
  EXPECT_EQ(p.cases[0].unsafe.conjunctions[0][0].bound, std::nextafter(0.7, 1));
  EXPECT_EQ(p.cases[0].inner_unsafe.conjunctions[0][0].bound, 0.7);
}

TEST(Vnnlib, StrictSidesAreClosedForProofsAndSteppedAwayFromForWitnesses) {
  const VnnlibProperty p = property(1, 1, "(assert (> X_0 0)) (assert (< X_0 1)) (assert (< Y_0 0.5))");
  const property::Box &outer = box_of(p.cases[0].region.parts()[0]),
                      &inner = box_of(p.cases[0].inner_region.parts()[0]);
  EXPECT_EQ(outer.lower[0], 0);
  EXPECT_EQ(outer.upper[0], 1);
  EXPECT_EQ(inner.lower[0], 0x1p-1074);
  EXPECT_EQ(inner.upper[0], std::nextafter(1.0, 0));
  EXPECT_TRUE(p.cases[0].unsafe.conjunctions[0][0].strict);
}

TEST(Vnnlib, AnInputFixedAtNoDoubleIsTheNearestOneInWitnesses) {
  const VnnlibProperty p = property(1, 1, "(assert (>= X_0 0.1)) (assert (<= X_0 0.1)) (assert (<= Y_0 1))");
  const property::Box &outer = box_of(p.cases[0].region.parts()[0]),
                      &inner = box_of(p.cases[0].inner_region.parts()[0]);
  EXPECT_LT(outer.lower[0], outer.upper[0]);
  EXPECT_EQ(inner.lower[0], 0.1);
  EXPECT_EQ(inner.upper[0], 0.1);
  EXPECT_THAT(p.notices, ElementsAre(HasSubstr("1 inputs have bounds without a double between them")));
}

TEST(Vnnlib, BoxesThatShareAnOutputConditionAreOneCase) {
  const VnnlibProperty p = property(1, 1, R"((assert (or
    (and (>= X_0 0) (<= X_0 1) (<= Y_0 5)) (and (>= X_0 2) (<= X_0 3) (<= Y_0 5))
    (and (>= X_0 4) (<= X_0 5) (<= Y_0 6)))))");
  ASSERT_THAT(p.cases, SizeIs(2));
  EXPECT_THAT(p.cases[0].region.parts(), SizeIs(2));
  EXPECT_THAT(p.cases[1].region.parts(), SizeIs(1));
}

TEST(Vnnlib, OutputConditionsThatShareABoxAreOneCase) {
  const VnnlibProperty p = property(1, 1, R"((assert (or
    (and (>= X_0 0) (<= X_0 1) (<= Y_0 5)) (and (>= X_0 0) (<= X_0 1) (>= Y_0 6)))))");
  ASSERT_THAT(p.cases, SizeIs(1));
  EXPECT_THAT(p.cases[0].region.parts(), SizeIs(1));
  EXPECT_THAT(p.cases[0].unsafe.conjunctions, SizeIs(2));
}

// Ten boxes and ten output conditions are ten parts and ten conjunctions, not a hundred cases.
TEST(Vnnlib, BoxesAreNotMultipliedWithOutputConditions) {
  std::string boxes, conditions;
  for (int i = 0; i < 10; ++i) {
    const std::string at = std::to_string(i);
    boxes += "(and (>= X_0 " + at + ") (<= X_0 " + at + ".5))";
    conditions += "(>= Y_0 " + at + ")";
  }
  const VnnlibProperty p = property(1, 1, "(assert (or " + boxes + "))(assert (or " + conditions + "))");
  ASSERT_THAT(p.cases, SizeIs(1));
  EXPECT_THAT(p.cases[0].region.parts(), SizeIs(10));
  EXPECT_THAT(p.cases[0].unsafe.conjunctions, SizeIs(10));
}

TEST(Vnnlib, InputsComparedWithInputsMakeAPolytope) {
  const VnnlibProperty p =
      property(2, 1, std::string(kUnitBox) + "(assert (<= (+ X_0 (* 0.3 X_1)) 0.6))(assert (<= Y_0 0))");
  const auto& polytope = std::get<property::Polytope>(p.cases[0].region.parts()[0]);
  ASSERT_THAT(polytope.inequalities, SizeIs(1));
  EXPECT_THAT(polytope.inequalities[0].coefficients, ElementsAre(10, 3));  // 0.3 is no double, 3 is
  EXPECT_EQ(polytope.inequalities[0].bound, 6);
}

TEST(Vnnlib, CoefficientsOfTooManyDigitsAreRoundedAndPaidForByTheBound) {
  const VnnlibProperty p = property(
      2, 1, std::string(kUnitBox) + "(assert (<= (+ X_0 (* 0.33333333333333333333 X_1)) 0.5))(assert (<= Y_0 0))");
  const auto& outer = std::get<property::Polytope>(p.cases[0].region.parts()[0]).inequalities[0];
  const auto& inner = std::get<property::Polytope>(p.cases[0].inner_region.parts()[0]).inequalities[0];
  EXPECT_EQ(outer.coefficients, inner.coefficients);
  EXPECT_GT(outer.bound, 0.5);
  EXPECT_LT(inner.bound, 0.5);
  EXPECT_NEAR(outer.bound, 0.5, 1e-15);
}

TEST(Vnnlib, AnInputMayBeBoundedByOthers) {
  const VnnlibProperty p =
      property(2, 1, "(assert (>= X_0 0)) (assert (<= X_0 1)) (assert (== X_1 X_0)) (assert (<= Y_0 0))");
  const property::Box& box = std::get<property::Polytope>(p.cases[0].region.parts()[0]).box;
  EXPECT_LE(box.lower[1], 0);
  EXPECT_GE(box.lower[1], -1e-300);
  EXPECT_GE(box.upper[1], 1);
  EXPECT_LE(box.upper[1], 1 + 1e-15);
}

TEST(Vnnlib, OutputsMayBeComparedWithInputs) {
  const VnnlibProperty p = property(2, 1, std::string(kUnitBox) + "(assert (<= (* 2 Y_0) (- X_1 1)))");
  const property::OutputInequality& inequality = p.cases[0].unsafe.conjunctions[0][0];
  EXPECT_THAT(inequality.outputs, ElementsAre(2));
  EXPECT_THAT(inequality.inputs, ElementsAre(0, -1));
  EXPECT_EQ(inequality.bound, -1);
}

TEST(Vnnlib, EmptyRegionsLeaveNoCaseAndANotice) {
  for (const char* assertions :
       {"(assert (>= X_0 1)) (assert (<= X_0 0))", "(assert (> X_0 0)) (assert (< X_0 0))",
        "(assert (>= X_0 0.1)) (assert (< X_0 0.1))", "(assert (>= X_0 0.10000000000000000001)) (assert (<= X_0 0.1))",
        "(assert (>= X_0 0)) (assert (<= X_0 1)) (assert (<= 2 1))"}) {
    const VnnlibProperty p = property(1, 1, std::string(assertions) + "(assert (<= Y_0 0))");
    EXPECT_THAT(p.cases, SizeIs(0)) << assertions;
    EXPECT_THAT(p.notices, ElementsAre(HasSubstr("the property is empty"))) << assertions;
  }
}

TEST(Vnnlib, UnequalIsAChoiceOfTwoStrictSides) {
  const VnnlibProperty p = import_vnnlib(R"((vnnlib-version <2.0>)
    (declare-network N (declare-input X float32 [1]) (declare-output Y float32 [1]))
    (assert (and (>= X[0] 0) (<= X[0] 1))) (assert (!= Y[0] 0.5)))",
                                         "p", copying_network(1, 1));
  ASSERT_THAT(p.cases[0].unsafe.conjunctions, SizeIs(2));
  EXPECT_TRUE(p.cases[0].unsafe.conjunctions[0][0].strict);
  EXPECT_TRUE(is_unsafe(p.cases[0].unsafe, std::vector{0.4}, std::vector{0.4}));
  EXPECT_FALSE(is_unsafe(p.cases[0].unsafe, std::vector{0.5}, std::vector{0.5}));
}

TEST(Vnnlib, IndicesCountInRowMajorOrder) {
  const VnnlibProperty p = import_vnnlib(R"((vnnlib-version <2.0>)
    (declare-network N (declare-input X float32 [1,2,3] "x") (declare-output Y real []))
    (assert (>= X[0,0,0] 0)) (assert (<= X[0,0,0] 1)) (assert (>= X[0,0,1] 1)) (assert (<= X[0,0,1] 2))
    (assert (>= X [0, 0, 2] 2)) (assert (<= X[0,0,2] 3)) (assert (>= X[0,1,0] 3)) (assert (<= X[0,1,0] 4))
    (assert (>= X[0,1,1] 4)) (assert (<= X[0,1,1] 5)) (assert (>= X[0,1,2] 5)) (assert (<= X[0,1,2] 6))
    (assert (<= Y 0)))",
                                         "p", copying_network(6, 1));
  EXPECT_THAT(box_of(p.cases[0].region.parts()[0]).lower, ElementsAre(0, 1, 2, 3, 4, 5));
}

struct Mistake {
  const char* text;
  const char* where;
  const char* problem;
};

TEST(Vnnlib, MistakesAreNamedWithLineAndColumn) {
  const std::string one = "(declare-const X_0 Real)\n";
  for (const Mistake& mistake : {
           Mistake{"(assert (<= X_0 1)", "line 2, column 19", "expected ')', found the end of the file"},
           Mistake{"(assert (<= X_0 one))", "line 2, column 17", "expected a variable, found 'one'"},
           Mistake{"(assert (<= X_0 1.2.3))", "line 2, column 17", "expected a number, found '1.2.3'"},
           Mistake{"(assert (<= X_1 1))", "line 2, column 13", "X_1 is not declared"},
           Mistake{"(assert (< X_0))", "line 2, column 15", "expected a number, a variable, or arithmetic, found ')'"},
           Mistake{"(assert (<= X_0 1 2))", "line 2, column 19", "expected ')', found '2'"},
           Mistake{"(assert (implies X_0 1))", "line 2, column 10", "expected and, or, <=, >=, <, >, == or !="},
           Mistake{"(assert (and))", "line 2, column 13", "expected '(' and a formula"},
           Mistake{"(assert (<= (* X_0 X_0) 1))", "line 2, column 20", "a product of two variables is not linear"},
           Mistake{"(assert (<= (/ X_0 2) 1))", "line 2, column 14", "expected +, - or *, found '/'"},
           Mistake{"(declare-const X_0 Real)", "line 2, column 16", "X_0 is declared twice"},
           Mistake{"(declare-const Z_0 Real)", "line 2, column 16", "expected a variable, found 'Z_0'"},
           Mistake{"(declare-const X_1 Int)", "line 2, column 20", "expected Real, found 'Int'"},
           Mistake{"(check-sat)", "line 2, column 2", "expected declare-const or assert, found 'check-sat'"},
           Mistake{"hello", "line 2, column 1", "expected '(' and a statement, found 'hello'"},
           Mistake{"(assert (<= X_0 \x01))", "line 2, column 17", "byte 0x01 is not part of a property"},
           Mistake{"(vnnlib-version <2.0>)", "line 2, column 2", "the version must stand before everything else"},
           Mistake{")", "line 2, column 1", "expected '(' and a statement, found ')'"},
           Mistake{"(assert)", "line 2, column 8", "expected '(' and a formula, as in (<= X_0 1), found ')'"},
           Mistake{"(assert X_0)", "line 2, column 9", "expected '(' and a formula"},
           Mistake{"(assert (and (<= X_0 1) 5))", "line 2, column 25", "expected '(' and a formula"},
           Mistake{"(assert (<= X_0 1) (<= X_0 2))", "line 2, column 20", "expected ')', found '('"},
           Mistake{"(assert (<= (+) 1))", "line 2, column 15", "expected a number, a variable, or arithmetic"},
           Mistake{"(assert (<= X_0 --5))", "line 2, column 17", "expected a number, found '--5'"},
           Mistake{"(assert (<= X_0 0x10))", "line 2, column 17", "expected a number, found '0x10'"},
           Mistake{"(assert (<= X_0 1e))", "line 2, column 17", "expected a number, found '1e'"},
           Mistake{"(assert (<= X_0 1e999999999999))", "line 2, column 17", "expected a number"},
           Mistake{"(assert (<= X_0 nan))", "line 2, column 17", "expected a variable, found 'nan'"},
           Mistake{"(assert (<= X_0 \"1\"))", "line 2, column 17", "expected a number, a variable, or arithmetic"},
           Mistake{"(assert (<= X_-1 1))", "line 2, column 15", "expected the number of an input or output"},
           Mistake{"(declare-const X_99999999999999999999 Real)", "line 2, column 18",
                   "expected the number of an input"},
       }) {
    const auto error = thrown_by<DataError>([&] { vnnlib::parse(one + mistake.text, "f.vnnlib"); });
    EXPECT_EQ(error.where(), std::string("f.vnnlib: ") + mistake.where) << mistake.text;
    EXPECT_THAT(error.problem(), HasSubstr(mistake.problem)) << mistake.text;
  }
}

TEST(Vnnlib, MistakesInDeclarationsAreNamed) {
  const auto problem = [](const std::string& body) {
    return thrown_by<DataError>([&] { vnnlib::parse("(vnnlib-version <2.0>)" + body, "f"); }).problem();
  };
  const std::string network = "(declare-network N (declare-input X float32 [1,2]) (declare-output Y float32 [2]))";
  EXPECT_THAT(problem(network + "(assert (<= X[0,2] 1))"), HasSubstr("index 2 is out of range: X has the shape 1x2"));
  EXPECT_THAT(problem(network + "(assert (<= X[0] 1))"), HasSubstr("X has 2 dimensions, 1 indices are given"));
  EXPECT_THAT(problem(network + "(assert (<= Z[0] 1))"),
              HasSubstr("expected a number or a declared variable, found 'Z'"));
  EXPECT_THAT(problem("(declare-network N (declare-input X int8 [1]))"),
              HasSubstr("element type 'int8' is not supported"));
  EXPECT_THAT(problem("(declare-network N (declare-input X real [0]) (declare-output Y real [1]))"),
              HasSubstr("size 0"));
  EXPECT_THAT(problem("(declare-network N (declare-input X real [1]))"), HasSubstr("has no output"));
  EXPECT_THAT(problem("(declare-network N (declare-hidden H real [1] \"h\"))"), HasSubstr("has no input"));
  EXPECT_THAT(problem("(declare-network N (declare-hidden H real [1]))"),
              HasSubstr("expected the name of a tensor of the ONNX file, in quotes, found ')'"));
  EXPECT_THAT(problem("(declare-network N (declare-hidden H real [1] h))"), HasSubstr("in quotes, found 'h'"));
  EXPECT_THAT(problem("(declare-network N (declare-hidden H real \"h\"))"), HasSubstr("expected a shape"));
  EXPECT_THAT(problem("(declare-network N (declare-hidden H int64 [1] \"h\"))"), HasSubstr("'int64' is not supported"));
  EXPECT_THAT(problem("(declare-network N (declare-input X real [1]) (declare-hidden X real [1] \"h\")"
                      " (declare-output Y real [1]))"),
              HasSubstr("X is declared twice"));
  EXPECT_THAT(problem("(declare-network N (equal-to M))"), HasSubstr("a network declared before, found 'M'"));
  EXPECT_THAT(problem("(declare-network N (declare-input X real [100000,100000]) (declare-output Y real [1]))"),
              HasSubstr("more than"));
  EXPECT_THAT(problem(network), HasSubstr("nothing is asserted"));
  EXPECT_THAT(problem(""), HasSubstr("no network is declared"));
  EXPECT_THAT(problem("(assert (<= Y[0] 1))"), HasSubstr("expected a number or a declared variable, found 'Y'"));
  EXPECT_THAT(problem(network + network), HasSubstr("the network N is declared twice"));
  EXPECT_THAT(problem("(declare-network N (declare-output Y real [1]))"), HasSubstr("has no input"));
  EXPECT_THAT(problem("(declare-network N (declare-input X real [1]) (declare-output X real [1]))"),
              HasSubstr("X is declared twice"));
  EXPECT_THAT(problem("(declare-network N (declare-input X real [a]))"), HasSubstr("expected a dimension, found 'a'"));
  EXPECT_THAT(problem("(declare-network N (declare-input X real [1] \"x)"), HasSubstr("does not end"));
  EXPECT_THAT(problem(network.substr(0, network.size() - 1)), HasSubstr("expected ')', found the end of the file"));
  EXPECT_THAT(problem(network + "(assert (<= X[0,-1] 1))"), HasSubstr("expected an index, found '-1'"));
  EXPECT_THAT(problem(network + "(assert (<= X[0 1] 1))"), HasSubstr("expected ',' or ']', found '1'"));
  EXPECT_THAT(problem(network + "(assert (<= X 1))"), HasSubstr("X has 2 dimensions, 0 indices are given"));
}

TEST(Vnnlib, TextsThatAreNoPropertyAreRefused) {
  const auto problem = [](const std::string& text) {
    return thrown_by<DataError>([&] { vnnlib::parse(text, "f"); }).problem();
  };
  EXPECT_EQ(problem(""), "no input is declared");
  EXPECT_EQ(problem(" \n; only a comment\n"), "no input is declared");
  EXPECT_EQ(problem(declared(1, 1)), "nothing is asserted");
  EXPECT_EQ(problem("(declare-const X_1 Real)(assert (<= X_1 1))"), "X_1 is declared, but X_0 is not");
  EXPECT_EQ(problem("(vnnlib-version <3.0>)"), "version '<3.0>' is not supported");
  EXPECT_EQ(problem("\xff\xfe("), "byte 0xff is not part of a property");
}

TEST(Vnnlib, InputsWithoutBoundsAreNamed) {
  const auto problem = [](const std::string& assertions) {
    return thrown_by<DataError>([&] { property(2, 1, assertions + "(assert (<= Y_0 0))"); }).problem();
  };
  EXPECT_EQ(problem("(assert (<= X_0 1)) (assert (>= X_0 0)) (assert (<= X_1 1))"), "input X_1 has no lower bound");
  EXPECT_EQ(problem("(assert (<= X_1 1)) (assert (>= X_1 0)) (assert (>= X_0 1))"), "input X_0 has no upper bound");
  EXPECT_EQ(problem("(assert (<= X_1 1)) (assert (>= X_1 0))"), "input X_0 has no lower and no upper bound");
  EXPECT_EQ(problem("(assert (<= X_0 X_1))"), "input X_0 has no lower and no upper bound");
}

TEST(Vnnlib, APropertyMustFitTheNetwork) {
  const std::string text = declared(2, 1) + kUnitBox + "(assert (<= Y_0 0))";
  const auto problem = [&](int inputs, int outputs) {
    return thrown_by<DataError>([&] { import_vnnlib(text, "p", copying_network(inputs, outputs)); }).problem();
  };
  EXPECT_EQ(problem(3, 1), "the property declares 2 inputs, the network has 3");
  const std::string more = declared(2, 3) + kUnitBox + "(assert (<= Y_0 0))";
  EXPECT_EQ(thrown_by<DataError>([&] { import_vnnlib(more, "p", copying_network(2, 2)); }).problem(),
            "the property declares Y_2, the network has 2 outputs");
}

TEST(Vnnlib, OutputsThatNothingIsSaidAboutMayBeLeftOut) {
  const auto imported = [](const std::string& declarations, const std::string& assertion) {
    const std::string box = std::string(kUnitBox) + "(assert (and (>= X_2 0) (<= X_2 1) (>= X_3 0) (<= X_3 1)))";
    return import_vnnlib(declared(4, 0) + declarations + box + assertion, "p", copying_network(4, 4));
  };
  const auto about = [&](const std::string& declarations, const std::string& assertion) {
    return imported(declarations, assertion).cases.at(0).unsafe.conjunctions.at(0);
  };
  EXPECT_THAT(about("(declare-const Y_0 Real)", "(assert (<= Y_0 0))").at(0).outputs, ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(about("(declare-const Y_3 Real)", "(assert (<= Y_3 0))").at(0).outputs, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(about("(declare-const Y_3 Real)(declare-const Y_1 Real)", "(assert (<= Y_3 Y_1))").at(0).outputs,
              ElementsAre(0, -1, 0, 1));
  EXPECT_THAT(about("", ""), IsEmpty());
  EXPECT_THAT(imported("(declare-const Y_1 Real)", "").notices,
              ElementsAre("the last output that the property declares is Y_1; the network has 4"));
  EXPECT_THAT(imported("(declare-const Y_3 Real)", "").notices, IsEmpty());
  EXPECT_EQ(thrown_by<DataError>([&] { about("(declare-const Y_3 Real)", "(assert (<= Y_1 0))"); }).problem(),
            "Y_1 is not declared");
}

TEST(Vnnlib, DeepNestingIsRefusedNotCrashedOn) {
  std::string deep = declared(1, 1) + "(assert ";
  for (int i = 0; i < 100'000; ++i) deep += "(and ";
  EXPECT_THAT(thrown_by<DataError>([&] { vnnlib::parse(deep, "p"); }).problem(), HasSubstr("nest at most 1000 deep"));
  deep = declared(1, 1) + "(assert (<= ";
  for (int i = 0; i < 100'000; ++i) deep += "(- ";
  EXPECT_THAT(thrown_by<DataError>([&] { vnnlib::parse(deep, "p"); }).problem(), HasSubstr("nest at most 1000 deep"));
}

TEST(Vnnlib, NestingUpToTheLimitIsRead) {
  std::string deep;
  for (int i = 0; i < 990; ++i) deep += i % 2 == 0 ? "(and " : "(or ";
  deep += "(<= Y_0 0)" + std::string(990, ')');
  EXPECT_THAT(property(1, 1, "(assert (>= X_0 0)) (assert (<= X_0 1)) (assert " + deep + ")").cases, SizeIs(1));
}

TEST(Vnnlib, ExponentialNormalFormsAreRefused) {
  std::string text = "(assert (>= X_0 0)) (assert (<= X_0 1))";
  for (int i = 0; i < 40; ++i) text += "(assert (or (>= Y_0 " + std::to_string(i) + ") (<= Y_0 -1)))";
  EXPECT_THAT(thrown_by<DataError>([&] { property(1, 1, text); }).problem(),
              HasSubstr("more than 131072 conjunctions"));
}

TEST(Vnnlib, TenThousandBoxesAreRead) {
  std::string text = "(assert (or ";
  for (int i = 0; i < 10'000; ++i) {
    const std::string at = std::to_string(i);
    text += "(and (>= X_0 " + at + ") (<= X_0 " + at + ".1) (<= Y_0 " + at + "))";
  }
  EXPECT_THAT(property(1, 1, text + "))").cases, SizeIs(10'000));
}

// A random formula as text, and what it means, evaluated on the spot. Numbers are multiples of 1/8 and points of 1/16,
// so that plain arithmetic decides exactly, on boundaries too.
class RandomFormula {
 public:
  explicit RandomFormula(std::uint64_t seed) : random_(seed) {}

  using Meaning = std::function<bool(const std::vector<double>& x)>;

  // Over X_0, X_1 and Y_0, Y_1, which the network makes equal to them.
  std::pair<std::string, Meaning> formula(int depth) {
    if (depth == 0 || random_() % 4 == 0) return comparison();
    const bool conjunction = random_() % 2 == 0;
    std::string text = conjunction ? "(and" : "(or";
    std::vector<Meaning> parts;
    for (std::uint64_t count = 1 + random_() % 3; count > 0; --count) {
      auto [part, meaning] = formula(depth - 1);
      text += " " + part;
      parts.push_back(std::move(meaning));
    }
    return {text + ")", [conjunction, parts](const std::vector<double>& x) {
              const auto holds_at = [&](const Meaning& part) { return part(x); };
              return conjunction ? std::ranges::all_of(parts, holds_at) : std::ranges::any_of(parts, holds_at);
            }};
  }

 private:
  using Value = std::function<double(const std::vector<double>& x)>;

  std::pair<std::string, Meaning> comparison() {
    static const char* const operators[] = {"<=", ">=", "<", ">", "==", "!="};
    const auto which = random_() % 6;
    auto [left, a] = value(2);
    auto [right, b] = value(1);
    return {std::string("(") + operators[which] + " " + left + " " + right + ")",
            [which, a = std::move(a), b = std::move(b)](const std::vector<double>& x) {
              const double l = a(x), r = b(x);
              const bool results[] = {l <= r, l >= r, l<r, l> r, l == r, l != r};
              return results[which];
            }};
  }

  std::pair<std::string, Value> value(int depth) {
    const auto kind = random_() % (depth == 0 ? 2 : 5);
    if (kind == 0) return constant();
    if (kind == 1 || kind == 4) {
      const std::size_t i = random_() % 2;
      return {(random_() % 2 == 0 ? "X_" : "Y_") + std::to_string(i),
              [i](const std::vector<double>& x) { return x[i]; }};
    }
    auto [left, a] = kind == 2 ? constant() : value(depth - 1);
    auto [right, b] = value(depth - 1);
    const int operation = kind == 2 ? 2 : static_cast<int>(random_() % 2);
    return {std::string("(") + "+-*"[operation] + " " + left + " " + right + ")",
            [operation, a = std::move(a), b = std::move(b)](const std::vector<double>& x) {
              return operation == 0 ? a(x) + b(x) : operation == 1 ? a(x) - b(x) : a(x) * b(x);
            }};
  }

  std::pair<std::string, Value> constant() {
    const double number = (static_cast<double>(random_() % 33) - 16) / 8;
    return {std::to_string(number), [number](const std::vector<double>&) { return number; }};
  }

  std::mt19937_64 random_;
};

// The same in version 2.0.
const std::string kVersion2 =
    "(vnnlib-version <2.0>)(declare-network N (declare-input X real [2,1]) (declare-output Y real [1,2]))";

std::string with_indices(std::string text) {
  for (const auto& [flat, indexed] :
       {std::pair{"X_0", "X[0,0]"}, {"X_1", "X[1,0]"}, {"Y_0", "Y[0,0]"}, {"Y_1", "Y[0,1]"}}) {
    for (std::size_t at = 0; (at = text.find(flat, at)) != std::string::npos;) text.replace(at, 3, indexed);
  }
  return text;
}

// A point satisfies the text if and only if it lies in some case, up to strictness at a side of the region, which the
// outer form ignores and the inner one keeps.
void expect_points_of_the_text_are_points_of_the_sets(int version) {
  const network::Network network = copying_network(2, 2);
  std::mt19937_64 random(7);
  int satisfied = 0, outside = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    auto [text, meaning] = RandomFormula(seed).formula(3);
    const std::string assertions = "(assert (and (>= X_0 -2) (<= X_0 2) (>= X_1 -2) (<= X_1 2)))(assert " + text + ")";
    const std::string whole = version == 1 ? declared(2, 2) + assertions : kVersion2 + with_indices(assertions);
    const VnnlibProperty p = import_vnnlib(whole, "p", network);
    for (int i = 0; i < 30; ++i) {
      const std::vector<double> x{(static_cast<double>(random() % 65) - 32) / 16,
                                  (static_cast<double>(random() % 65) - 32) / 16};
      bool in_outer = false, in_inner = false;
      for (const PropertyCase& c : p.cases) {
        in_outer = in_outer || (contains(c.region, x) && is_unsafe(c.unsafe, x, x));
        in_inner = in_inner || (contains(c.inner_region, x) && is_unsafe(c.inner_unsafe, x, x));
      }
      const bool truth = meaning(x);
      ASSERT_EQ(in_inner, truth) << whole << "\nat " << x[0] << " " << x[1];
      ASSERT_TRUE(in_outer || !truth) << whole << "\nat " << x[0] << " " << x[1];
      satisfied += truth;
      outside += !in_outer;
    }
  }
  EXPECT_GT(satisfied, 5000);
  EXPECT_GT(outside, 5000);
}

TEST(Vnnlib, APointSatisfiesTheTextExactlyIfItIsInTheParsedSets) {
  expect_points_of_the_text_are_points_of_the_sets(1);
}

TEST(Vnnlib, APointSatisfiesATextOfVersion2ExactlyIfItIsInTheParsedSets) {
  expect_points_of_the_text_are_points_of_the_sets(2);
}

}  // namespace
}  // namespace plumb::vnnlib
