// Import rules for constants and for operations on shapes, whose results are known at import.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "onnx/node.h"

namespace plumb::onnx {
namespace {

Value typed(Value value, int type) {
  value.type = value.exact_in = type;
  return value;
}

std::vector<Value> import_constant(OnnxNode& node) {
  using ::onnx::TensorProto;
  const auto count = [](const auto& list) { return tensor::Shape{static_cast<std::int64_t>(list.size())}; };
  if (node.attribute_count() != 1) throw DataError("", "a constant needs one attribute, its value");
  if (node.has_attribute("value")) return {node.tensor("value")};
  if (node.has_attribute("sparse_value")) return {node.tensor("sparse_value")};
  if (node.has_attribute("value_float")) {
    return {typed(real_value({}, {node.real("value_float", 0)}), TensorProto::FLOAT)};
  }
  if (node.has_attribute("value_int")) {
    return {typed(integer_value({}, {node.integer("value_int", 0)}), TensorProto::INT64)};
  }
  if (node.has_attribute("value_floats")) {
    const auto values = node.reals("value_floats");
    return {typed(real_value(count(values), values), TensorProto::FLOAT)};
  }
  if (node.has_attribute("value_ints")) {
    const auto values = node.integers("value_ints", {});
    return {typed(integer_value(count(values), values), TensorProto::INT64)};
  }
  throw Unsupported{"the constant is neither a float nor an integer tensor"};
}

std::vector<Value> import_constant_of_shape(OnnxNode& node) {
  const tensor::Shape shape = node.integer_input(0, "the shape");
  const auto size = static_cast<std::size_t>(node.graph.size_of(shape));
  node.graph.use_room(node.graph.size_of(shape));
  if (!node.has_attribute("value")) {
    return {typed(real_value(shape, std::vector<double>(size, 0.0)), ::onnx::TensorProto::FLOAT)};
  }
  const Value value = node.tensor("value");
  if (node.graph.size_of(value.shape) != 1) throw DataError("", "the value is not a single number");
  if (value.is_real()) return {typed(real_value(shape, std::vector<double>(size, value.reals()[0])), value.type)};
  return {typed(integer_value(shape, std::vector<std::int64_t>(size, value.integers()[0])), value.type)};
}

std::vector<Value> import_shape(OnnxNode& node) {
  const tensor::Shape& shape = node.input(0).shape;
  const std::int64_t rank = node.input(0).rank();
  const auto clamped = [rank](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + rank : i, 0, rank); };
  const std::int64_t first = clamped(node.integer("start", 0));
  const std::int64_t last = std::max(first, clamped(node.integer("end", rank)));
  return {integer_value({last - first}, {shape.begin() + first, shape.begin() + last})};
}

std::vector<Value> import_size(OnnxNode& node) {
  return {integer_value({}, {node.graph.size_of(node.input(0).shape)})};
}

std::vector<Value> import_range(OnnxNode& node) {
  const auto scalar = [&](std::int64_t i, const char* what) {
    const auto& values = node.integer_input(i, what);
    if (values.size() != 1) throw DataError("", fmt::format("{} is not a single number", what));
    return values[0];
  };
  const std::int64_t start = scalar(0, "the start"), limit = scalar(1, "the limit"), delta = scalar(2, "the step");
  const auto small = [](std::int64_t v) { return v >= -tensor::kMaxElements && v <= tensor::kMaxElements; };
  if (delta == 0 || !small(start) || !small(limit) || !small(delta)) {
    throw DataError("", fmt::format("a range from {} to {} by {}", start, limit, delta));
  }
  node.graph.use_room(std::abs(limit - start) / std::abs(delta) + 1);
  std::vector<std::int64_t> values;
  for (std::int64_t v = start; delta > 0 ? v < limit : v > limit; v += delta) values.push_back(v);
  const auto count = static_cast<std::int64_t>(values.size());
  node.graph.size_of({count});
  return {integer_value({count}, std::move(values))};
}

}  // namespace

const RuleTable& constant_rules() {
  static const RuleTable rules{
      {"Constant",
       import_constant,
       {{1, "-> T", "value:tensor!"},
        {11, "-> T", "sparse_value:sparse_tensor value:tensor"},
        {12, "-> T",
         "sparse_value:sparse_tensor value:tensor value_float:float value_floats:floats value_int:int value_ints:ints "
         "value_string:string value_strings:strings"}}},
      {"ConstantOfShape", import_constant_of_shape, {{9, "int64 -> T2", "value:tensor"}}},
      {"Shape", import_shape, {{1, "T -> int64", ""}, {15, "T -> int64", "end:int start:int"}}},
      {"Size", import_size, {{1, "T -> int64", ""}}},
      {"Range", import_range, {{11, "T T T -> T", ""}}}};
  return rules;
}

}  // namespace plumb::onnx
