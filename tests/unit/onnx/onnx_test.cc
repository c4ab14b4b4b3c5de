// What the oracle suites (tests/oracle, tests/regress) cannot observe from outside: the operations that an import
// makes, and the errors of coefficients. The oracle suites compare numbers with ONNX Runtime.
#include "onnx/onnx_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network/evaluator.h"
#include "network/normalised.h"
#include "network/op_kind.h"
#include "support/thrown_error.h"
#include "unit/onnx/onnx_model.h"

namespace plumb::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> operations(const network::Network& network) {
  std::vector<std::string> names;
  for (const network::Node& node : network.nodes()) names.emplace_back(name_of(node.op));
  return names;
}

using Names = std::vector<std::string>;

// "r#0" for each node of units; "?" for one without a name.
Names unit_names(const network::Network& network) {
  Names names;
  for (const network::Node& node : network.nodes()) {
    if (!has_units(node.op)) continue;
    names.push_back(node.unit_name ? node.unit_name->tensor + "#" + std::to_string(node.unit_name->number) : "?");
  }
  return names;
}

TEST(ImportOnnx, NamesUnitsByTheFirstOutputOfTheirNode) {
  EXPECT_EQ(unit_names(Model({1, 4}).node("LeakyRelu", {"x"}, "h").node("Abs", {"h"}, "y").import()),
            (Names{"h#0", "y#0"}));
  EXPECT_EQ(
      unit_names(
          Model({1, 4}).weight("a", {}, {-1.0F}).weight("b", {}, {1.0F}).node("Clip", {"x", "a", "b"}, "y").import()),
      (Names{"y#0", "y#1"}));
  EXPECT_EQ(
      unit_names(
          Model({1, 4}).weight("c", {}, {1.0F}).node("Neg", {"x"}, "n").node("Max", {"x", "n", "c"}, "y").import()),
      (Names{"y#0", "y#1"}));
}

TEST(ImportOnnx, KeepsTheNameOfTheInnerOfTwoRelus) {
  EXPECT_EQ(unit_names(Model({1, 4}).node("Relu", {"x"}, "h").node("Relu", {"h"}, "y").import()), (Names{"h#0"}));
}

TEST(ImportOnnx, KeepsNamesUnderANormalisation) {
  const network::Network network = Model({1, 2}).node("Relu", {"x"}, "y").import();
  const network::Coefficients numbers({0.5, 0.25});
  EXPECT_EQ(unit_names(with_normalisation(network, numbers, numbers)), (Names{"y#0"}));
}

// It becomes a member of the maximum, which is another unit than that of the name.
TEST(ImportOnnx, HasNoNamesForAMaximumWithALargeConstant) {
  EXPECT_EQ(unit_names(Model({1, 4}).weight("c", {}, {1e5F}).node("Max", {"x", "c"}, "y").import()), (Names{"?"}));
}

TEST(ImportOnnx, MatMulAndAddBecomeOneDenseMapWithExactCoefficients) {
  const network::Network network = Model({1, 2})
                                       .weight("w", {2, 2}, {0.1F, 0.2F, 0.3F, 0.4F})
                                       .weight("b", {2}, {0.5F, 0.6F})
                                       .node("MatMul", {"x", "w"}, "h")
                                       .node("Add", {"h", "b"}, "y")
                                       .import();
  ASSERT_EQ(operations(network), (Names{"Input", "Dense"}));
  const auto& dense = std::get<network::Dense>(network.node(1).op);
  EXPECT_EQ(dense.weight.error(), network::CoefficientError{});
  EXPECT_EQ(dense.bias.error(), network::CoefficientError{});
  EXPECT_EQ(dense.weight[1], static_cast<double>(0.3F));  // W^T
}

TEST(ImportOnnx, ADivisionByTwoFiftyFiveCarriesItsRounding) {
  const network::Network network = Model({1, 2})
                                       .weight("s", {1}, {255.0F})
                                       .weight("w", {2, 1}, {1.0F, 2.0F})
                                       .node("Div", {"x", "s"}, "h")
                                       .node("MatMul", {"h", "w"}, "y")
                                       .import();
  ASSERT_EQ(operations(network), (Names{"Input", "Dense"}));
  EXPECT_GT(std::get<network::Dense>(network.node(1).op).weight.error().relative, 0);
}

TEST(ImportOnnx, ADivisionByFourIsExact) {
  const network::Network network = Model({1, 2}).weight("s", {1}, {4.0F}).node("Div", {"x", "s"}, "y").import();
  EXPECT_EQ(std::get<network::ScaleShift>(network.node(1).op).scale.error(), network::CoefficientError{});
}

TEST(ImportOnnx, ReshapesMakeNoOperation) {
  const network::Network network =
      Model({1, 4}).node("Flatten", {"x"}, "h").node("Identity", {"h"}, "i").node("Relu", {"i"}, "y").import();
  EXPECT_EQ(operations(network), (Names{"Input", "Relu"}));
}

TEST(ImportOnnx, ALeakyReluNeedsOneUnitAnElement) {
  EXPECT_EQ(Model({1, 4}).node("LeakyRelu", {"x"}, "y").import().relu_units(), 4);
}

TEST(ImportOnnx, AMaximumWithZeroIsARelu) {
  const network::Network network = Model({1, 4}).weight("zero", {}, {0.0F}).node("Max", {"x", "zero"}, "y").import();
  EXPECT_EQ(operations(network), (Names{"Input", "Relu"}));
}

TEST(ImportOnnx, MaxPoolingCountsGroupsOfSeveralMembers) {
  const network::Network network = Model({1, 1, 3, 3})
                                       .node("MaxPool", {"x"}, "y")
                                       .attribute("kernel_shape", {2, 2})
                                       .attribute("strides", {2, 2})
                                       .attribute("pads", {0, 0, 1, 1})
                                       .import();
  EXPECT_EQ(network.max_units(), 3);  // the fourth window contains a single element
}

TEST(ImportOnnx, TheUnsimplifiedNetworkKeepsEveryOperation) {
  Model model({1, 2});
  model.weight("s", {1}, {3.0F}).node("Mul", {"x", "s"}, "a").node("Mul", {"a", "s"}, "y");
  EXPECT_EQ(operations(model.import(false)), (Names{"Input", "ScaleShift", "ScaleShift"}));
  EXPECT_EQ(operations(model.import(true)), (Names{"Input", "ScaleShift"}));
}

TEST(ImportOnnx, ListsAllNodesThatCannotBeImported) {
  const std::string message =
      Model({1, 2}).node("Tanh", {"x"}, "a").node("Exp", {"x"}, "b").node("Add", {"a", "b"}, "y").error();
  EXPECT_NE(message.find("2 nodes"), std::string::npos) << message;
  EXPECT_NE(message.find("(Tanh)"), std::string::npos) << message;
  EXPECT_NE(message.find("(Exp)"), std::string::npos) << message;
}

TEST(ImportOnnx, IgnoresWhatNoOutputNeeds) {
  EXPECT_EQ(Model({1, 2}).node("Tanh", {"x"}, "unused").node("Relu", {"x"}, "y").import().relu_units(), 2);
}

TEST(ImportOnnx, NamesTheNodeWhoseShapesDoNotFit) {
  const std::string message = Model({1, 2}).weight("w", {3, 1}, {1, 2, 3}).node("MatMul", {"x", "w"}, "y").error();
  EXPECT_NE(message.find("node 'y' (MatMul)"), std::string::npos) << message;
  EXPECT_NE(message.find("1x2"), std::string::npos) << message;
  EXPECT_NE(message.find("3x1"), std::string::npos) << message;
}

TEST(ImportOnnx, RefusesATensorWithoutItsData) {
  const std::string message = Model({1, 2}).weight("w", {50000, 50000}, {}).node("MatMul", {"x", "w"}, "y").error();
  EXPECT_NE(message.find("tensor 'w'"), std::string::npos) << message;
}

std::vector<double> outputs_at(const network::Network& network, const std::vector<double>& point) {
  std::vector<double> outputs(static_cast<std::size_t>(network.output_size()));
  network::Evaluator<double>::Workspace workspace;
  network::Evaluator<double>(shared(network)).evaluate(point, outputs, workspace);
  return outputs;
}

// y = -2 relu(2 x + 1) + x, with one node per step; the result "unused" is not read.
Model model_of_steps() {
  Model model({1, 2});
  model.weight("two", {1}, {2.0F})
      .weight("one", {1}, {1.0F})
      .weight("w", {2, 2}, {-2.0F, 0.0F, 0.0F, -2.0F})
      .node("Mul", {"x", "two"}, "doubled")
      .node("Add", {"doubled", "one"}, "shifted")
      .node("Relu", {"shifted"}, "positive")
      .named("relu")
      .node("MatMul", {"positive", "w"}, "scaled")
      .node("Add", {"scaled", "x"}, "y")
      .node("Mul", {"shifted", "two"}, "unused");
  return model;
}

TEST(ImportOnnx, InnerTensorsThatAreAskedForAreOutputsWithTheValuesOfTheFile) {
  const std::vector<std::pair<std::string, std::vector<double>>> expected{
      {"x", {-1, 3}},   {"doubled", {-2, 6}}, {"shifted", {-1, 7}}, {"positive", {0, 7}}, {"scaled", {0, -14}},
      {"y", {-1, -11}}, {"unused", {-2, 14}}, {"relu", {0, 7}},     {"one", {1}}};
  for (const auto& [tensor, values] : expected) {
    const network::Network network = model_of_steps().import(true, {tensor});
    std::vector<double> all{-1, -11};
    all.insert(all.end(), values.begin(), values.end());
    EXPECT_EQ(outputs_at(network, {-1, 3}), all) << tensor;
  }
  std::vector<std::string> together;
  std::vector<double> all{-1, -11};
  for (const auto& [tensor, values] : expected) {
    together.push_back(tensor);
    all.insert(all.end(), values.begin(), values.end());
  }
  EXPECT_EQ(outputs_at(model_of_steps().import(true, together), {-1, 3}), all);
}

TEST(ImportOnnx, AnInnerTensorThatIsNotAskedForIsStillFoldedAway) {
  EXPECT_EQ(operations(model_of_steps().import(true, {"positive"})), operations(model_of_steps().import(true, {})));
  EXPECT_GT(operations(model_of_steps().import(true, {"doubled"})).size(),
            operations(model_of_steps().import(true, {})).size());
}

TEST(ImportOnnx, TheValueBeforeADroppedSoftmaxIsItself) {
  Model model({1, 2});
  model.weight("w", {2, 2}, {1, 2, 3, 4}).node("MatMul", {"x", "w"}, "scores").node("Softmax", {"scores"}, "y");
  const network::Network network = model.import(true, {"scores", "y"});
  ASSERT_EQ(network.outputs().size(), 3U);
  EXPECT_EQ(network.outputs()[0].dropped_activation, "Softmax");
  EXPECT_EQ(network.outputs()[1].dropped_activation, std::nullopt);
  EXPECT_EQ(network.outputs()[2].dropped_activation, "Softmax");
}

TEST(ImportOnnx, InnerTensorsThatCannotBeOutputsAreNamedWithThePlaceThatAsks) {
  const auto error = [](const Model& model, const std::string& tensor) {
    return thrown_by<DataError>([&] { model.import(true, {tensor}); });
  };
  const DataError unknown = error(model_of_steps(), "reluu");
  EXPECT_EQ(unknown.where(), "model.onnx: hidden value 'reluu', asked for in the test");
  EXPECT_THAT(unknown.problem(), HasSubstr("no tensor and no node of this name"));
  EXPECT_THAT(unknown.remedy(), HasSubstr("plumb inspect"));
  EXPECT_THAT(error(model_of_steps(), "").problem(), HasSubstr("no tensor and no node"));

  Model twice({1, 2});
  twice.node("Relu", {"x"}, "a").named("relu").node("Relu", {"a"}, "y").named("relu");
  EXPECT_THAT(error(twice, "relu").problem(), HasSubstr("several nodes have this name"));

  Model split({1, 2});
  split.node("Split", {"x"}, "a").named("split").result("b").node("Add", {"a", "b"}, "y");
  EXPECT_THAT(error(split, "split").problem(), HasSubstr("has 2 results"));
  EXPECT_THAT(error(split, "split").remedy(), HasSubstr("a, b"));

  Model curved({1, 2});
  curved.node("Relu", {"x"}, "y").node("Tanh", {"x"}, "h").named("bend");
  EXPECT_THAT(error(curved, "h").problem(), HasSubstr("'bend' (Tanh)"));

  Model shape({1, 2});
  shape.node("Relu", {"x"}, "y").node("Shape", {"x"}, "h");
  EXPECT_THAT(error(shape, "h").problem(), HasSubstr("integer"));
}

// A refused node must not hide those behind it.
TEST(ImportOnnx, AllUnsupportedNodesAreListedAtOnce) {
  const auto error = thrown_by<DataError>([] {
    Model({1, 2})
        .weight("w", {2, 2}, {1, 2, 3, 4})
        .node("Sigmoid", {"x"}, "gate")
        .node("Mul", {"x", "gate"}, "swish")
        .node("MatMul", {"swish", "w"}, "h")
        .node("Sigmoid", {"h"}, "gate2")
        .node("Mul", {"h", "gate2"}, "swish2")
        .node("Div", {"x", "swish2"}, "y")
        .import();
  });
  EXPECT_THAT(error.problem(), HasSubstr("5 nodes cannot be imported"));
  for (const char* node : {"'gate' (Sigmoid)", "'swish' (Mul)", "'gate2' (Sigmoid)", "'swish2' (Mul)", "'y' (Div)"}) {
    EXPECT_THAT(error.problem(), HasSubstr(node));
  }
}

// What follows a refused node may be broken only because its result is not known.
TEST(ImportOnnx, NodesBehindARefusedOneAreNotCalledBroken) {
  const auto error = thrown_by<DataError>([] {
    Model({1, 2})
        .weight("w", {3, 2}, {1, 2, 3, 4, 5, 6})
        .node("Tanh", {"x"}, "t")
        .node("MatMul", {"t", "w"}, "y")
        .import();
  });
  EXPECT_THAT(error.problem(), HasSubstr("a node cannot be imported:\n't' (Tanh)"));
}

}  // namespace
}  // namespace plumb::onnx
