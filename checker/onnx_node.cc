#include "onnx_node.h"

#include <set>

namespace checker {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  return (" " + std::string(words) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

const Rule& rule_for(std::string_view operation) {
  static const Rules all[] = {affine_rules(), elementwise_rules(), movement_rules(), constant_rules(), window_rules()};
  for (const Rules& rules : all) {
    for (const Rule& rule : rules) {
      if (rule.operation == operation) return rule;
    }
  }
  throw BadFile("the operation is not supported");
}

}  // namespace

const Value& OnnxNode::input(std::size_t i) const {
  require(has(i), "input " + std::to_string(i) + " is missing");
  return *inputs[i];
}

const Value& OnnxNode::known_input(std::size_t i) const {
  require(input(i).is_known(), "not piecewise linear: input " + std::to_string(i) + " depends on the network's input");
  return input(i);
}

Values OnnxNode::all() const {
  Values values;
  for (std::size_t i = 0; i < inputs.size(); ++i) values.push_back(input(i));
  return values;
}

// Integers that are only enclosed are too large to be anything but limits that are never reached.
Integers OnnxNode::integers_at(std::size_t i) const {
  require(!is_float(known_input(i).type), "input " + std::to_string(i) + " must be integers");
  Integers result;
  for (std::size_t k = 0; k < input(i).numbers->size(); ++k) {
    const Interval v = (*input(i).numbers)[k];
    require(v.is_point() || v.low() >= 0x1p53 || v.high <= -0x1p53, "an integer is not known exactly");
    result.push_back(static_cast<std::int64_t>(v.low() > 0 ? v.low() : v.high));
  }
  return result;
}

const Attribute* OnnxNode::find(std::string_view name, int kind) const {
  for (const Attribute& attribute : proto.attribute()) {
    if (attribute.name() != name) continue;
    require(attribute.type() == kind, "attribute '" + attribute.name() + "' is of the wrong kind");
    return &attribute;
  }
  return nullptr;
}

std::optional<Integers> OnnxNode::integers_since(std::int64_t since, std::size_t i, const char* name) const {
  const bool is_attribute = find(name, Attribute::INTS) != nullptr;
  require(opset < since ? inputs.size() <= i : !is_attribute,
          std::string("'") + name + "' is given as in another opset");
  if (is_attribute) return integers(name, {});
  return has(i) ? std::optional(integers_at(i)) : std::nullopt;
}

std::int64_t OnnxNode::axis(std::int64_t axis, std::int64_t rank) {
  require(axis >= -rank && axis < rank, "axis " + std::to_string(axis) + " is out of range");
  return axis < 0 ? axis + rank : axis;
}

Values read_node(const OnnxNode& node) {
  require(node.proto.domain().empty() || node.proto.domain() == "ai.onnx", "the operation is not one of ONNX");
  const Rule& rule = rule_for(node.proto.op_type());
  std::set<std::string> given;
  for (const Attribute& attribute : node.proto.attribute()) {
    const std::string& name = attribute.name();  // two underscores mark notes of some program
    require(name.starts_with("__") || has_word(rule.attributes, name), "unknown attribute '" + name + "'");
    require(given.insert(name).second, "attribute '" + name + "' is given twice");
    require(!std::isnan(attribute.f()), "attribute '" + name + "' is not a number");
  }
  const auto count = static_cast<int>(node.inputs.size());
  require(count >= rule.least && count <= rule.most, "it has " + std::to_string(count) + " inputs");
  require(node.proto.output_size() > 0, "it has no outputs");
  const bool passes_on = has_word("Identity Reshape Flatten Squeeze Unsqueeze Cast Dropout", rule.operation);
  for (int i = 0; i < count; ++i) {
    const Value* value = node.inputs[at(i)];
    require(value == nullptr || !value->only_order || passes_on, "a softmax or sigmoid before it is not the last node");
    require(value == nullptr || i >= rule.alike || value->type == node.input(0).type, "operands of different types");
  }
  return rule.read(node);
}

}  // namespace checker
