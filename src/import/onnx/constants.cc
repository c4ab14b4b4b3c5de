// Import rules for constants and for arithmetic on shapes, which is known at import.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "import/onnx/node.h"

namespace plumb::onnx_import {
namespace {

std::vector<Value> import_constant(OnnxNode& node) {
  const auto count = [](const auto& list) { return Shape{static_cast<std::int64_t>(list.size())}; };
  if (node.has_attribute("value")) return {node.tensor("value")};
  if (node.has_attribute("value_float")) return {real_value({}, {node.real("value_float", 0)})};
  if (node.has_attribute("value_int")) return {integer_value({}, {node.integer("value_int", 0)})};
  if (node.has_attribute("value_floats"))
    return {real_value(count(node.reals("value_floats")), node.reals("value_floats"))};
  if (node.has_attribute("value_ints")) {
    const auto values = node.integers("value_ints", {});
    return {integer_value(count(values), values)};
  }
  throw Unsupported{"a constant that is neither a float nor an integer tensor"};
}

std::vector<Value> import_constant_of_shape(OnnxNode& node) {
  const Shape shape = node.integer_input(0, "the shape");
  const auto size = static_cast<std::size_t>(node.graph.size_of(shape));
  node.graph.use_room(node.graph.size_of(shape));
  if (!node.has_attribute("value")) return {real_value(shape, std::vector<double>(size, 0.0))};
  const Value value = node.tensor("value");
  if (node.graph.size_of(value.shape) != 1) throw DataError("", "the value is not a single number");
  if (value.is_real()) return {real_value(shape, std::vector<double>(size, value.reals()[0]))};
  return {integer_value(shape, std::vector<std::int64_t>(size, value.integers()[0]))};
}

std::vector<Value> import_shape(OnnxNode& node) {
  const Shape& shape = node.input(0).shape;
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
  const auto small = [](std::int64_t v) { return v >= -kMaxElements && v <= kMaxElements; };
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
  static const RuleTable rules{{"Constant", import_constant},
                               {"ConstantOfShape", import_constant_of_shape},
                               {"Shape", import_shape},
                               {"Size", import_size},
                               {"Range", import_range}};
  return rules;
}

}  // namespace plumb::onnx_import
