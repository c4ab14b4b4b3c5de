// Texts that are no property, or none that can be decided, are refused with the place and the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/thrown_error.h"
#include "unit/vnnlib/vnnlib_text.h"
#include "vnnlib/parser.h"

namespace plumb::vnnlib {
namespace {

using ::testing::HasSubstr;

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

TEST(Vnnlib, DeepNestingIsRefusedNotCrashedOn) {
  std::string deep = declared(1, 1) + "(assert ";
  for (int i = 0; i < 100'000; ++i) deep += "(and ";
  EXPECT_THAT(thrown_by<DataError>([&] { vnnlib::parse(deep, "p"); }).problem(), HasSubstr("nest at most 1000 deep"));
  deep = declared(1, 1) + "(assert (<= ";
  for (int i = 0; i < 100'000; ++i) deep += "(- ";
  EXPECT_THAT(thrown_by<DataError>([&] { vnnlib::parse(deep, "p"); }).problem(), HasSubstr("nest at most 1000 deep"));
}

TEST(Vnnlib, ExponentialNormalFormsAreRefused) {
  std::string text = "(assert (>= X_0 0)) (assert (<= X_0 1))";
  for (int i = 0; i < 40; ++i) text += "(assert (or (>= Y_0 " + std::to_string(i) + ") (<= Y_0 -1)))";
  EXPECT_THAT(thrown_by<DataError>([&] { property(1, 1, text); }).problem(),
              HasSubstr("more than 131072 conjunctions"));
}

}  // namespace
}  // namespace plumb::vnnlib
