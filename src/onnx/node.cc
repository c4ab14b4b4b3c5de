#include "onnx/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.h"
#include "onnx/tensor.h"

namespace plumb::onnx {

std::string OnnxNode::name_of(const ::onnx::NodeProto& proto) {
  if (!proto.name().empty()) return proto.name();
  return proto.output_size() > 0 ? proto.output(0) : proto.op_type();
}

std::string OnnxNode::description_of(const ::onnx::NodeProto& proto) {
  return fmt::format("node '{}' ({})", name_of(proto), proto.op_type());
}

const Value& OnnxNode::input(std::int64_t i) const {
  if (!has_input(i)) throw DataError("", fmt::format("input {} is missing", i));
  return *inputs_[static_cast<std::size_t>(i)];
}

std::vector<Value> OnnxNode::all_inputs() const {
  std::vector<Value> values;
  for (std::int64_t i = 0; i < input_count(); ++i) values.push_back(input(i));
  if (values.empty()) throw DataError("", "the node has no inputs");
  return values;
}

const ::onnx::AttributeProto* OnnxNode::find(const char* name) const {
  for (const auto& attribute : proto_.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

std::int64_t OnnxNode::integer(const char* name, std::int64_t otherwise) const {
  const auto* attribute = find(name);
  return attribute == nullptr ? otherwise : attribute->i();
}

double OnnxNode::real(const char* name, double otherwise) const {
  const auto* attribute = find(name);
  return attribute == nullptr ? otherwise : static_cast<double>(attribute->f());
}

std::string OnnxNode::text(const char* name, const std::string& otherwise) const {
  const auto* attribute = find(name);
  return attribute == nullptr ? otherwise : attribute->s();
}

std::vector<std::int64_t> OnnxNode::integers(const char* name, const std::vector<std::int64_t>& otherwise) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) return otherwise;
  return {attribute->ints().begin(), attribute->ints().end()};
}

std::vector<double> OnnxNode::reals(const char* name) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) return {};
  return {attribute->floats().begin(), attribute->floats().end()};
}

Value OnnxNode::tensor(const char* name) const {
  const auto* attribute = find(name);
  if (attribute == nullptr || !(attribute->has_t() || attribute->has_sparse_tensor())) {
    throw DataError("", fmt::format("attribute '{}' is missing", name));
  }
  if (attribute->has_t()) return read_tensor(attribute->t(), folder_, max_elements_);
  return read_sparse_tensor(attribute->sparse_tensor(), folder_, max_elements_,
                            [this](std::int64_t elements) { graph.use_room(elements); });
}

const std::vector<std::int64_t>& OnnxNode::integer_input(std::int64_t i, const char* what) const {
  const Value& value = input(i);
  if (!value.is_integer()) throw Unsupported{fmt::format("not static: {} is computed from the network's input", what)};
  return value.integers();
}

std::optional<std::vector<std::int64_t>> OnnxNode::integers_from(std::int64_t i, const char* attribute) const {
  if (has_input(i)) return integer_input(i, attribute);
  if (has_attribute(attribute)) return integers(attribute, {});
  return std::nullopt;
}

std::int64_t OnnxNode::axis(std::int64_t axis, std::int64_t rank) const {
  if (axis < -rank || axis >= rank) {
    throw DataError("", fmt::format("axis {} is out of range for a tensor with {} dimensions", axis, rank));
  }
  return axis < 0 ? axis + rank : axis;
}

std::vector<const RuleTable*> rule_tables() {
  return {&affine_rules(),  &elementwise_rules(), &movement_rules(), &reshape_rules(),
          &pooling_rules(), &constant_rules(),    &cast_rules()};
}

const Rule* find_rule(std::string_view op) {
  static const std::map<std::string_view, const Rule*> rules = [] {
    std::map<std::string_view, const Rule*> all;
    for (const RuleTable* table : rule_tables()) {
      for (const Rule& rule : *table) all.emplace(rule.op, &rule);
    }
    return all;
  }();
  const auto found = rules.find(op);
  return found == rules.end() ? nullptr : found->second;
}

namespace {

// Elementwise operations that are not piecewise linear and continuous.
bool is_curved(std::string_view op) {
  constexpr std::array kCurved{"Tanh", "Exp",  "Log",      "Sin",      "Cos",       "Pow",  "Sqrt",
                               "Elu",  "Selu", "Softplus", "Softsign", "HardSwish", "Mish", "Gelu",
                               "Erf",  "Celu", "Sign",     "Floor",    "Ceil",      "Round"};
  return std::find(kCurved.begin(), kCurved.end(), op) != kCurved.end();
}

}  // namespace

std::string why_unsupported(std::string_view op) {
  constexpr std::array kControlFlow{"If", "Loop", "Scan", "NonZero", "Unique", "SequenceAt", "NonMaxSuppression"};
  if (std::find(kControlFlow.begin(), kControlFlow.end(), op) != kControlFlow.end()) {
    return "not static: what it computes depends on the network's input";
  }
  if (is_curved(op)) return "not piecewise linear and continuous";
  return "Plumb has no rule for this operation";
}

bool is_final_activation(std::string_view op) { return op == "Softmax" || op == "LogSoftmax" || op == "Sigmoid"; }

bool is_elementwise(std::string_view op) {
  return is_curved(op) || is_final_activation(op) || op == "Mul" || op == "Div";
}

bool keeps_values(std::string_view op) {
  constexpr std::array kMovements{"Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Cast", "Dropout"};
  return std::find(kMovements.begin(), kMovements.end(), op) != kMovements.end();
}

bool only_moves(std::string_view op) {
  constexpr std::array kMoves{"Identity",  "Dropout",   "Reshape", "Flatten",      "Squeeze",
                              "Unsqueeze", "Transpose", "Concat",  "Split",        "Slice",
                              "Gather",    "Expand",    "Tile",    "DepthToSpace", "SpaceToDepth"};
  return std::find(kMoves.begin(), kMoves.end(), op) != kMoves.end();
}

}  // namespace plumb::onnx
