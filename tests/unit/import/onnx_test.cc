// What the oracle suites (tests/oracle, tests/regress) cannot see from outside: the operations that an import
// makes, the errors that coefficients carry. Numbers are compared with ONNX Runtime there.
#include "import/onnx.h"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "base/error.h"

namespace plumb {
namespace {

// A model under construction: one input x, one output y.
class Model {
 public:
  explicit Model(const Shape& input, std::int64_t opset = 13) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(opset);
    auto* x = graph().add_input();
    x->set_name("x");
    auto* type = x->mutable_type()->mutable_tensor_type();
    type->set_elem_type(::onnx::TensorProto::FLOAT);
    for (const std::int64_t size : input) type->mutable_shape()->add_dim()->set_dim_value(size);
    graph().add_output()->set_name("y");
  }

  Model& weight(const std::string& name, const Shape& shape, const std::vector<float>& values) {
    auto* tensor = graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(::onnx::TensorProto::FLOAT);
    for (const std::int64_t size : shape) tensor->add_dims(size);
    for (const float v : values) tensor->add_float_data(v);
    return *this;
  }

  Model& node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output) {
    last_ = graph().add_node();
    last_->set_op_type(op);
    for (const std::string& input : inputs) last_->add_input(input);
    last_->add_output(output);
    return *this;
  }

  Model& attribute(const std::string& name, const std::vector<std::int64_t>& values) {
    auto* attribute = last_->add_attribute();
    attribute->set_name(name);
    attribute->set_type(::onnx::AttributeProto::INTS);
    for (const std::int64_t v : values) attribute->add_ints(v);
    return *this;
  }

  Network import(bool simplify = true) const {
    OnnxOptions options;
    options.simplify = simplify;
    return import_onnx_bytes(model_.SerializeAsString(), "model.onnx", ".", options).network;
  }

  std::string error() const {
    try {
      import();
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  ::onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  ::onnx::ModelProto model_;
  ::onnx::NodeProto* last_ = nullptr;
};

std::vector<std::string> operations(const Network& network) {
  std::vector<std::string> names;
  for (const Node& node : network.nodes()) names.emplace_back(name_of(node.op));
  return names;
}

using Names = std::vector<std::string>;

TEST(ImportOnnx, MatMulAndAddBecomeOneDenseMapWithExactCoefficients) {
  const Network network = Model({1, 2})
                              .weight("w", {2, 2}, {0.1F, 0.2F, 0.3F, 0.4F})
                              .weight("b", {2}, {0.5F, 0.6F})
                              .node("MatMul", {"x", "w"}, "h")
                              .node("Add", {"h", "b"}, "y")
                              .import();
  ASSERT_EQ(operations(network), (Names{"Input", "Dense"}));
  const auto& dense = std::get<Dense>(network.node(1).op);
  EXPECT_EQ(dense.weight.error(), CoefficientError{});
  EXPECT_EQ(dense.bias.error(), CoefficientError{});
  EXPECT_EQ(dense.weight[1], static_cast<double>(0.3F));  // W^T
}

TEST(ImportOnnx, ADivisionByTwoFiftyFiveCarriesItsRounding) {
  const Network network = Model({1, 2})
                              .weight("s", {1}, {255.0F})
                              .weight("w", {2, 1}, {1.0F, 2.0F})
                              .node("Div", {"x", "s"}, "h")
                              .node("MatMul", {"h", "w"}, "y")
                              .import();
  ASSERT_EQ(operations(network), (Names{"Input", "Dense"}));
  EXPECT_GT(std::get<Dense>(network.node(1).op).weight.error().relative, 0);
}

TEST(ImportOnnx, ADivisionByFourIsExact) {
  const Network network = Model({1, 2}).weight("s", {1}, {4.0F}).node("Div", {"x", "s"}, "y").import();
  EXPECT_EQ(std::get<ScaleShift>(network.node(1).op).scale.error(), CoefficientError{});
}

TEST(ImportOnnx, ReshapesMakeNoOperation) {
  const Network network =
      Model({1, 4}).node("Flatten", {"x"}, "h").node("Identity", {"h"}, "i").node("Relu", {"i"}, "y").import();
  EXPECT_EQ(operations(network), (Names{"Input", "Relu"}));
}

TEST(ImportOnnx, ALeakyReluNeedsOneUnitAnElement) {
  EXPECT_EQ(Model({1, 4}).node("LeakyRelu", {"x"}, "y").import().relu_units(), 4);
}

TEST(ImportOnnx, AMaximumWithZeroIsARelu) {
  const Network network = Model({1, 4}).weight("zero", {}, {0.0F}).node("Max", {"x", "zero"}, "y").import();
  EXPECT_EQ(operations(network), (Names{"Input", "Relu"}));
}

TEST(ImportOnnx, MaxPoolingCountsGroupsOfSeveralMembers) {
  const Network network = Model({1, 1, 3, 3})
                              .node("MaxPool", {"x"}, "y")
                              .attribute("kernel_shape", {2, 2})
                              .attribute("strides", {2, 2})
                              .attribute("pads", {0, 0, 1, 1})
                              .import();
  EXPECT_EQ(network.max_units(), 3);  // the fourth window sees one element alone
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

}  // namespace
}  // namespace plumb
