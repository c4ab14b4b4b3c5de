#include "onnx_node.h"

namespace checker {

using onnx::AttributeProto;

const Value& OnnxNode::input(std::size_t i) const {
  if (!has(i)) throw BadFile("input " + std::to_string(i) + " is missing");
  return *inputs[i];
}

std::vector<Value> OnnxNode::all() const {
  std::vector<Value> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) values.push_back(input(i));
  return values;
}

const Integers& OnnxNode::integers_at(std::size_t i) const {
  if (!input(i).is_integer()) throw BadFile("input " + std::to_string(i) + " must be integers known from the file");
  return input(i).integers();
}

const AttributeProto* OnnxNode::find(std::string_view name, int kind) const {
  for (const AttributeProto& attribute : proto.attribute()) {
    if (attribute.name() != name) continue;
    if (attribute.type() != kind) throw BadFile("attribute '" + attribute.name() + "' is of the wrong kind");
    return &attribute;
  }
  return nullptr;
}

std::int64_t OnnxNode::integer(const char* name, std::int64_t otherwise) const {
  const auto* attribute = find(name, AttributeProto::INT);
  return attribute == nullptr ? otherwise : attribute->i();
}

double OnnxNode::real(const char* name, double otherwise) const {
  const auto* attribute = find(name, AttributeProto::FLOAT);
  const double value = attribute == nullptr ? otherwise : static_cast<double>(attribute->f());
  if (std::isnan(value)) throw BadFile(std::string("attribute '") + name + "' is not a number");
  return value;
}

std::string OnnxNode::text(const char* name, const char* otherwise) const {
  const auto* attribute = find(name, AttributeProto::STRING);
  return attribute == nullptr ? otherwise : attribute->s();
}

Integers OnnxNode::integers(const char* name, const Integers& otherwise) const {
  const auto* attribute = find(name, AttributeProto::INTS);
  return attribute == nullptr ? otherwise : Integers(attribute->ints().begin(), attribute->ints().end());
}

std::optional<Integers> OnnxNode::integers_since(std::int64_t since, std::size_t i, const char* name) const {
  const auto* attribute = find(name, AttributeProto::INTS);
  if (opset < since ? inputs.size() > i : attribute != nullptr) {
    throw BadFile(std::string("'") + name + "' is an attribute before opset " + std::to_string(since) +
                  ", and an input since");
  }
  if (attribute != nullptr) return integers(name, {});
  return has(i) ? std::optional(integers_at(i)) : std::nullopt;
}

std::int64_t OnnxNode::axis(std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank) {
    throw BadFile("axis " + std::to_string(axis) + " of a tensor with " + std::to_string(rank) + " dimensions");
  }
  return axis < 0 ? axis + rank : axis;
}

const Rule* find_rule(std::string_view operation) {
  static const std::vector<Rules> all{affine_rules(),   elementwise_rules(), movement_rules(),
                                      constant_rules(), window_rules(),      reduction_rules()};
  for (const Rules& rules : all) {
    for (const Rule& rule : rules) {
      if (rule.operation == operation) return &rule;
    }
  }
  return nullptr;
}

}  // namespace checker
