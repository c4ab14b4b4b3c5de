// onnx_node.h: one node of an ONNX graph as the rules see it, and the table of the rules.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "error.h"
#include "onnx_graph.h"

namespace checker {

struct OnnxNode {
  const onnx::NodeProto& proto;
  std::vector<const Value*> inputs;  // nullptr: left out
  std::int64_t opset;
  const std::filesystem::path& folder;
  Graph& graph;

  bool has(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  const Value& input(std::size_t i) const;
  std::vector<Value> all() const;
  const Integers& integers_at(std::size_t i) const;

  const onnx::AttributeProto* find(std::string_view name, int kind) const;
  std::int64_t integer(const char* name, std::int64_t otherwise) const;
  double real(const char* name, double otherwise) const;
  std::string text(const char* name, const char* otherwise) const;
  Integers integers(const char* name, const Integers& otherwise) const;
  // An operand since that opset, an attribute before it.
  std::optional<Integers> integers_since(std::int64_t since, std::size_t i, const char* name) const;

  // The axis counted from the first one.
  static std::int64_t axis(std::int64_t axis, std::int64_t rank);
};

// How nodes of one operation are read. A rule returns the values of the first outputs.
struct Rule {
  std::string_view operation;
  std::vector<Value> (*read)(OnnxNode&);
  int least, most;  // inputs
  std::string_view attributes;
};

using Rules = std::vector<Rule>;
constexpr int kAny = 1 << 30;

Rules affine_rules();
Rules elementwise_rules();
Rules movement_rules();
Rules constant_rules();
Rules window_rules();
Rules reduction_rules();

// nullptr if there is no rule for the operation.
const Rule* find_rule(std::string_view operation);

}  // namespace checker
