#include "vnnlib/vnnlib_property.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/thrown_error.h"
#include "unit/vnnlib/vnnlib_text.h"

namespace plumb::vnnlib {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

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

TEST(Vnnlib, NestingUpToTheLimitIsRead) {
  std::string deep;
  for (int i = 0; i < 990; ++i) deep += i % 2 == 0 ? "(and " : "(or ";
  deep += "(<= Y_0 0)" + std::string(990, ')');
  EXPECT_THAT(property(1, 1, "(assert (>= X_0 0)) (assert (<= X_0 1)) (assert " + deep + ")").cases, SizeIs(1));
}

TEST(Vnnlib, TenThousandBoxesAreRead) {
  std::string text = "(assert (or ";
  for (int i = 0; i < 10'000; ++i) {
    const std::string at = std::to_string(i);
    text += "(and (>= X_0 " + at + ") (<= X_0 " + at + ".1) (<= Y_0 " + at + "))";
  }
  EXPECT_THAT(property(1, 1, text + "))").cases, SizeIs(10'000));
}

}  // namespace
}  // namespace plumb::vnnlib
