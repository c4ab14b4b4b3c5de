// Element types: the effect of Cast on constants and on values that the network computes. tests/oracle compares casts
// that change nothing with ONNX Runtime.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network/evaluator.h"
#include "onnx/element_type.h"
#include "unit/onnx/onnx_model.h"

namespace plumb::onnx {
namespace {

using ::onnx::TensorProto;
using ::testing::HasSubstr;

constexpr auto kFloat = TensorProto::FLOAT, kDouble = TensorProto::DOUBLE, kHalf = TensorProto::FLOAT16,
               kBrain = TensorProto::BFLOAT16;

// The factor by which the network multiplies its input.
const network::Coefficients& factor_of(const network::Network& network) {
  return std::get<network::ScaleShift>(network.node(1).op).scale;
}

// y = x c, where c is the number v after a Cast to `type` and one back to float32.
double cast_constant(double v, TensorProto::DataType type) {
  const network::Network network = Model({1, 1})
                                       .double_weight("v", {v})
                                       .cast("v", type, "narrow")
                                       .cast("narrow", kFloat, "c")
                                       .node("Mul", {"x", "c"}, "y")
                                       .import(false);
  EXPECT_EQ(factor_of(network).error(), network::CoefficientError{});
  return factor_of(network)[0];
}

TEST(OnnxTypes, ConstantsAreRoundedAsTheRuntimeRoundsThem) {
  EXPECT_EQ(cast_constant(0.1, kFloat), static_cast<double>(0.1F));
  EXPECT_EQ(cast_constant(2049.0, kHalf), 2048.0);
  EXPECT_EQ(cast_constant(2051.0, kHalf), 2052.0);
  // The cast goes through float32, as in ONNX Runtime. The first rounding makes a tie, and the second rounds it to
  // even.
  EXPECT_EQ(cast_constant(1 + 0x1p-11 + 0x1p-40, kHalf), 1.0);
  EXPECT_EQ(cast_constant(1 + 0x1p-8, kBrain), 1.0);
  EXPECT_EQ(cast_constant(1 + 3 * 0x1p-8, kBrain), 1 + 0x1p-6);
  EXPECT_EQ(cast_constant(-(1 + 0x1p-8 + 0x1p-20), kBrain), -(1 + 0x1p-7));
  EXPECT_EQ(cast_constant(-3.75, kBrain), -3.75);
}

TEST(OnnxTypes, AConstantBeyondTheTypeIsRefused) {
  const auto error = [](double v, TensorProto::DataType type) {
    return Model({1, 1})
        .double_weight("v", {v})
        .cast("v", type, "c")
        .cast("c", kFloat, "d")
        .node("Mul", {"x", "d"}, "y");
  };
  EXPECT_THAT(error(70000, kHalf).error(), HasSubstr("inf"));
  EXPECT_THAT(error(1e300, kBrain).error(), HasSubstr("inf"));
  EXPECT_EQ(error(60000, kHalf).error(), "no error");
}

// (a / b) b in double, cast to float32: the computed number is known only to within an error.
network::Coefficients cast_quotient(double a, double b) {
  return factor_of(Model({1, 1})
                       .double_weight("a", {a})
                       .double_weight("b", {b})
                       .node("Div", {"a", "b"}, "q")
                       .node("Mul", {"q", "b"}, "p")
                       .cast("p", kFloat, "c")
                       .node("Mul", {"x", "c"}, "y")
                       .import(false));
}

TEST(OnnxTypes, AComputedConstantIsRoundedToOneNumberWhereItsErrorLeavesNoChoice) {
  const network::Coefficients factor = cast_quotient(1.1, 3);
  EXPECT_EQ(factor.error(), network::CoefficientError{});
  EXPECT_EQ(factor[0], static_cast<double>(1.1F));
}

TEST(OnnxTypes, AComputedConstantThatMayRoundEitherWayHasAnErrorThatCoversBoth) {
  const network::Coefficients factor = cast_quotient(1 + 0x1p-24, 3);  // half way between two floats
  const double reach = factor.error().absolute + factor.error().relative * factor[0];
  EXPECT_LE(std::abs(factor[0] - 1), reach);
  EXPECT_LE(std::abs(factor[0] - (1 + 0x1p-23)), reach);
  EXPECT_LE(reach, 0x1p-22);
}

TEST(OnnxTypes, ACastThatRoundsWhatIsComputedIsRefusedByName) {
  const std::string message =
      Model({1, 2}).node("Relu", {"x"}, "h").cast("h", kHalf, "n").named("to_half").cast("n", kFloat, "y").error();
  EXPECT_THAT(message, HasSubstr("'to_half' (Cast): not piecewise linear: rounds values of type float to float16"));
}

TEST(OnnxTypes, ACastBackIsAllowedOnlyIfNothingWasComputedInBetween) {
  const auto between = [](const std::string& op) {
    return Model({1, 2}).cast("x", kDouble, "wide").node(op, {"wide"}, "h").cast("h", kFloat, "y").error();
  };
  for (const char* moves : {"Identity", "Flatten", "Transpose", "Squeeze"}) EXPECT_EQ(between(moves), "no error");
  for (const char* computes : {"ReduceMean", "HardSigmoid", "LeakyRelu"}) {
    EXPECT_THAT(between(computes), HasSubstr("rounds values of type double to float")) << computes;
  }
}

TEST(OnnxTypes, WhatIsMadeOfSeveralValuesNeedsATypeThatHoldsAllOfThem) {
  const auto joined = [](const std::string& second) {
    return Model({1, 1})
        .double_weight("d", {0.1})
        .node("Flatten", {"d"}, "row")
        .cast("x", kDouble, "wide")
        .node("Concat", {"wide", second}, "h")
        .integer("axis", 0)
        .cast("h", kFloat, "y")
        .error();
  };
  EXPECT_EQ(joined("wide"), "no error");
  EXPECT_THAT(joined("row"), HasSubstr("rounds values of type double to float"));
}

// y = Clip(1e300 x, -2e299, 1e299).
TEST(OnnxTypes, LimitsBeyondFloat32CountForDoubles) {
  const network::Network network = Model({1, 1})
                                       .cast("x", kDouble, "wide")
                                       .double_weight("scale", {1e300})
                                       .node("Mul", {"wide", "scale"}, "h")
                                       .double_weight("low", {-2e299})
                                       .double_weight("high", {1e299})
                                       .node("Squeeze", {"low"}, "min")
                                       .node("Squeeze", {"high"}, "max")
                                       .node("Clip", {"h", "min", "max"}, "y")
                                       .import();
  network::Evaluator<double> evaluator(shared(network));
  network::Evaluator<double>::Workspace workspace;
  double value = 0;
  for (const auto& [x, expected] : {std::pair{1.0, 1e299}, {-1.0, -2e299}, {0.0, 0.0}}) {
    evaluator.evaluate({&x, 1}, {&value, 1}, workspace);
    EXPECT_EQ(value, expected);
  }
}

TEST(OnnxTypes, NamesAreThoseOfOnnx) {
  EXPECT_EQ(name_of_type(kBrain), "bfloat16");
  EXPECT_EQ(name_of_type(4711), "type 4711");
  EXPECT_EQ(type_named("int64"), TensorProto::INT64);
  EXPECT_EQ(type_named("wobble"), 0);
}

TEST(OnnxTypes, TheNumbersOfBothHalfTypesAreFloatsButNotEachOthers) {
  using onnx::holds_all_of;
  EXPECT_TRUE(holds_all_of(kDouble, kFloat));
  EXPECT_TRUE(holds_all_of(kFloat, kHalf));
  EXPECT_TRUE(holds_all_of(kFloat, kBrain));
  EXPECT_TRUE(holds_all_of(kHalf, kHalf));
  EXPECT_FALSE(holds_all_of(kFloat, kDouble));
  EXPECT_FALSE(holds_all_of(kHalf, kBrain));
  EXPECT_FALSE(holds_all_of(kBrain, kHalf));
  EXPECT_FALSE(holds_all_of(kHalf, kFloat));
}

}  // namespace
}  // namespace plumb::onnx
