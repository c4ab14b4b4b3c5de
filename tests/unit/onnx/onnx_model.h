// onnx_model.h: small ONNX models, built node by node.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "onnx/onnx_file.h"

namespace plumb::onnx {

// A model under construction. It has one input x, one output y, and further ones if they are added.
class Model {
 public:
  explicit Model(const tensor::Shape& input_shape, std::int64_t opset = 13) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(opset);
    input("x", input_shape);
    output("y");
  }

  Model& input(const std::string& name, const tensor::Shape& shape) {
    auto* value = graph().add_input();
    value->set_name(name);
    auto* type = value->mutable_type()->mutable_tensor_type();
    type->set_elem_type(::onnx::TensorProto::FLOAT);
    for (const std::int64_t size : shape) type->mutable_shape()->add_dim()->set_dim_value(size);
    return *this;
  }

  Model& output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }

  Model& weight(const std::string& name, const tensor::Shape& shape, const std::vector<float>& values) {
    auto* tensor = graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(::onnx::TensorProto::FLOAT);
    for (const std::int64_t size : shape) tensor->add_dims(size);
    for (const float v : values) tensor->add_float_data(v);
    return *this;
  }

  Model& double_weight(const std::string& name, const std::vector<double>& values) {
    auto* tensor = graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(::onnx::TensorProto::DOUBLE);
    tensor->add_dims(static_cast<std::int64_t>(values.size()));
    for (const double v : values) tensor->add_double_data(v);
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

  Model& cast(const std::string& input, ::onnx::TensorProto::DataType type, const std::string& output) {
    return node("Cast", {input}, output).integer("to", type);
  }
  Model& integer(const std::string& name, std::int64_t value) {
    auto* attribute = last_->add_attribute();
    attribute->set_name(name);
    attribute->set_type(::onnx::AttributeProto::INT);
    attribute->set_i(value);
    return *this;
  }
  Model& real(const std::string& name, float value) {
    auto* attribute = last_->add_attribute();
    attribute->set_name(name);
    attribute->set_type(::onnx::AttributeProto::FLOAT);
    attribute->set_f(value);
    return *this;
  }

  // Names the last node.
  Model& named(const std::string& name) {
    last_->set_name(name);
    return *this;
  }
  // Adds a result to the last node.
  Model& result(const std::string& tensor) {
    last_->add_output(tensor);
    return *this;
  }

  std::string bytes() const { return model_.SerializeAsString(); }

  network::Network import(bool simplify = true, const std::vector<std::string>& exposed = {}) const {
    OnnxOptions options;
    options.simplify = simplify;
    for (const std::string& tensor : exposed) options.exposed.push_back({tensor, "the test"});
    return import_onnx_bytes(bytes(), "model.onnx", ".", options).network;
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

}  // namespace plumb::onnx
