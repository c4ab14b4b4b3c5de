// Import rules for operations that keep all elements in their order. They add no operation to the network.
#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "base/error.h"
#include "base/numbers.h"
#include "onnx/node.h"

namespace plumb::onnx {
namespace {

std::vector<Value> import_identity(OnnxNode& node) { return {node.input(0)}; }

std::vector<Value> import_dropout(OnnxNode& node) {
  if (node.has_input(2)) {
    const auto& training = node.integer_input(2, "training_mode");
    if (!training.empty() && training[0] != 0) throw Unsupported{"training mode: export the network for inference"};
  }
  return {node.input(0)};
}

std::vector<Value> import_reshape(OnnxNode& node) {
  const Value& x = node.input(0);
  tensor::Shape shape = node.integer_input(1, "the shape");
  const bool zero_is_zero = node.integer("allowzero", 0) != 0;
  std::int64_t known = 1, free = -1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && !zero_is_zero) {
      if (d >= x.shape.size())
        throw DataError("", fmt::format("dimension {} is copied from a shape that does not have it", d));
      shape[d] = x.shape[d];
    }
    if (shape[d] == -1 && free < 0) {
      free = static_cast<std::int64_t>(d);
      continue;
    }
    if (shape[d] < 0 || (shape[d] > 0 && known > tensor::kMaxElements / shape[d])) {
      throw DataError("", fmt::format("cannot reshape to {}", tensor::to_string(shape)));
    }
    known *= shape[d];
  }
  const std::int64_t count = node.graph.size_of(x.shape);
  if (free >= 0) shape[index(free)] = known == 0 ? 0 : count / known;
  if (tensor::element_count(shape) != count) {
    throw DataError("",
                    fmt::format("{} elements of shape {} do not fit the shape {}", count, tensor::to_string(x.shape),
                                tensor::to_string(shape)),
                    "if the file fixes a batch size, export it with batch size 1");
  }
  return {reshaped(x, std::move(shape))};
}

std::vector<Value> import_flatten(OnnxNode& node) {
  const Value& x = node.input(0);
  std::int64_t axis = node.integer("axis", 1);
  if (axis != x.rank()) axis = node.axis(axis, x.rank());
  const auto middle = x.shape.begin() + axis;
  const std::int64_t rows = std::accumulate(x.shape.begin(), middle, std::int64_t{1}, std::multiplies<>());
  const std::int64_t columns = std::accumulate(middle, x.shape.end(), std::int64_t{1}, std::multiplies<>());
  return {reshaped(x, {rows, columns})};
}

std::vector<Value> import_squeeze(OnnxNode& node) {
  const Value& x = node.input(0);
  const auto axes = node.integers_from(1, "axes");
  std::vector<bool> drop(x.shape.size(), false);
  if (axes) {
    for (const std::int64_t axis : *axes) drop[index(node.axis(axis, x.rank()))] = true;
  } else {
    for (std::size_t d = 0; d < x.shape.size(); ++d) drop[d] = x.shape[d] == 1;
  }
  tensor::Shape shape;
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    if (!drop[d])
      shape.push_back(x.shape[d]);
    else if (x.shape[d] != 1)
      throw DataError("", fmt::format("dimension {} of {} is not 1", d, tensor::to_string(x.shape)));
  }
  return {reshaped(x, std::move(shape))};
}

std::vector<Value> import_unsqueeze(OnnxNode& node) {
  const Value& x = node.input(0);
  const auto axes = node.integers_from(1, "axes");
  if (!axes) throw DataError("", "axes are missing");
  const std::int64_t rank = x.rank() + static_cast<std::int64_t>(axes->size());
  std::vector<bool> is_new(index(rank), false);
  for (const std::int64_t axis : *axes) {
    if (is_new[index(node.axis(axis, rank))]) throw DataError("", fmt::format("axis {} is given twice", axis));
    is_new[index(node.axis(axis, rank))] = true;
  }
  tensor::Shape shape;
  auto next = x.shape.begin();
  for (const bool is_one : is_new) shape.push_back(is_one ? 1 : *next++);
  return {reshaped(x, std::move(shape))};
}

}  // namespace

const RuleTable& reshape_rules() {
  static const RuleTable rules{
      {"Identity", import_identity, {{1, "T -> T", ""}}},
      {"Dropout",
       import_dropout,
       {{7, "T -> T T?", "ratio:float"},
        {10, "T -> T bool?", "ratio:float"},
        {12, "T T1? bool? -> T bool?", "seed:int"}}},
      {"Reshape", import_reshape, {{5, "T int64 -> T", ""}, {14, "T int64 -> T", "allowzero:int"}}},
      {"Flatten", import_flatten, {{1, "T -> T", "axis:int"}}},
      {"Squeeze", import_squeeze, {{1, "T -> T", "axes:ints"}, {13, "T int64? -> T", ""}}},
      {"Unsqueeze", import_unsqueeze, {{1, "T -> T", "axes:ints!"}, {13, "T int64 -> T", ""}}}};
  return rules;
}

}  // namespace plumb::onnx
