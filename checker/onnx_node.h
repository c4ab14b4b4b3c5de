// onnx_node.h: one node of an ONNX graph as the rules see it, and the table of the rules.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "onnx_graph.h"

namespace checker {

using Type = onnx::TensorProto;
using Attribute = onnx::AttributeProto;

inline bool is_float(int type) {
  return type == Type::FLOAT || type == Type::DOUBLE || type == Type::FLOAT16 || type == Type::BFLOAT16;
}

struct OnnxNode {
  const onnx::NodeProto& proto;
  std::int64_t opset;
  const std::filesystem::path& folder;
  Graph& graph;
  std::vector<const Value*> inputs = {};  // nullptr: left out

  bool has(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  const Value& input(std::size_t i) const;
  const Value& known_input(std::size_t i) const;
  Values all() const;
  Integers integers_at(std::size_t i) const;

  const Attribute* find(std::string_view name, int kind) const;
  std::int64_t integer(const char* name, std::int64_t otherwise) const {
    const Attribute* attribute = find(name, Attribute::INT);
    return attribute == nullptr ? otherwise : attribute->i();
  }
  double real(const char* name, double otherwise) const {
    const Attribute* attribute = find(name, Attribute::FLOAT);
    return attribute == nullptr ? otherwise : static_cast<double>(attribute->f());
  }
  std::string text(const char* name, const char* otherwise) const {
    const Attribute* attribute = find(name, Attribute::STRING);
    return attribute == nullptr ? otherwise : attribute->s();
  }
  Integers integers(const char* name, const Integers& otherwise) const {
    const Attribute* attribute = find(name, Attribute::INTS);
    return attribute == nullptr ? otherwise : Integers(attribute->ints().begin(), attribute->ints().end());
  }
  // An operand since that opset, an attribute before it.
  std::optional<Integers> integers_since(std::int64_t since, std::size_t i, const char* name) const;

  // The axis, counted from the first.
  static std::int64_t axis(std::int64_t axis, std::int64_t rank);
  std::int64_t axis(std::int64_t otherwise) const { return axis(integer("axis", otherwise), input(0).rank()); }
};

// How nodes of one operation are read.
struct Rule {
  std::string_view operation;
  int least, most;  // inputs
  int alike;        // so many of the first inputs must have the same type
  std::string_view attributes;
  Values (*read)(const OnnxNode&);  // returns the values of the first outputs
};
using Rules = std::vector<Rule>;
constexpr int kAny = 1 << 30;

Rules affine_rules();
Rules elementwise_rules();
Rules movement_rules();
Rules constant_rules();
Rules window_rules();

// Tensors that an ONNX file stores: inside it, sparse, or in another file of its folder.
Value read_tensor(const onnx::TensorProto& tensor, const std::filesystem::path& folder);
Value read_sparse_tensor(const onnx::SparseTensorProto& tensor, const std::filesystem::path& folder, Graph& graph);

// Checks the form of a node, and reads it by the rule for its operation: any other form could be another function.
Values read_node(const OnnxNode& node);

}  // namespace checker
