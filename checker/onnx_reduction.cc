// Reductions over whole axes, and global poolings.
#include <numeric>

#include "onnx_node.h"

namespace checker {
namespace {

enum class Kind { kSum, kMean, kMaximum, kMinimum };

// Reduces the axes; all of them if none are given. They are moved behind the others first.
Value reduced(const OnnxNode& node, const Integers& axes, bool keep, Kind kind) {
  Graph& graph = node.graph;
  const Value& x = node.input(0);
  require(is_float(x.type), "integers where reals are needed");
  std::vector<bool> goes(x.shape.size(), axes.empty());
  for (const std::int64_t axis : axes) goes[static_cast<std::size_t>(OnnxNode::axis(axis, x.rank()))] = true;
  Integers order, last;
  Shape shape;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < goes.size(); ++d) {
    (goes[d] ? last : order).push_back(static_cast<std::int64_t>(d));
    (goes[d] ? inner : outer) *= x.shape[d];
    if (!goes[d] || keep) shape.push_back(goes[d] ? 1 : x.shape[d]);
  }
  require(inner > 0, "a reduction over no elements");
  order.insert(order.end(), last.begin(), last.end());
  const Value rows = reshaped(graph.transpose(x, order), {outer, inner});
  if (kind == Kind::kSum || kind == Kind::kMean) {
    const Interval weight = Interval(1.0) / Interval(kind == Kind::kMean ? static_cast<double>(inner) : 1.0);
    const Numbers weights = numbers_of(std::vector<Interval>(static_cast<std::size_t>(inner), weight));
    return graph.add(Dense{outer, inner, 1, weights, {}}, {rows}, shape);
  }
  graph.take(outer * inner);
  Maximum op;
  for (std::int64_t i = 0; i < outer * inner; ++i) op.members.push_back(static_cast<std::int32_t>(i));
  for (std::int64_t i = 0; i <= outer; ++i) op.offsets.push_back(i * inner);
  if (kind == Kind::kMaximum) return graph.add(std::move(op), {rows}, shape);
  return graph.negate(graph.add(std::move(op), {graph.negate(rows)}, shape));
}

// Axes are an input since an opset.
template <Kind kKind, int kSince>
Values reduce(const OnnxNode& node) {
  const Integers axes = node.integers_since(kSince, 1, "axes").value_or(Integers{});
  const bool does_nothing = axes.empty() && node.opset >= kSince && node.integer("noop_with_empty_axes", 0) != 0;
  return {does_nothing ? node.input(0) : reduced(node, axes, node.integer("keepdims", 1) != 0, kKind)};
}

template <Kind kKind>
Values global(const OnnxNode& node) {
  require(node.input(0).rank() >= 3, "an input of shape " + text_of(node.input(0).shape));
  Integers axes(node.input(0).shape.size() - 2);
  std::iota(axes.begin(), axes.end(), 2);
  return {reduced(node, axes, true, kKind)};
}

// The product of all elements; only of integers, for shapes.
Values reduce_prod(const OnnxNode& node) {
  const Integers axes = node.integers_since(18, 1, "axes").value_or(Integers{});
  const Value& x = node.input(0);
  require(!is_float(x.type) && x.rank() == 1, "not piecewise linear");
  if (axes.empty() && node.integer("noop_with_empty_axes", 0) != 0) return {x};
  Interval product = 1.0;
  for (std::size_t i = 0; i < x.numbers->size(); ++i) product = product * (*x.numbers)[i];
  for (const std::int64_t axis : axes) OnnxNode::axis(axis, 1);
  return {known(node.integer("keepdims", 1) != 0 ? Shape{1} : Shape{}, numbers_of({product}))};
}

}  // namespace

Rules reduction_rules() {
  constexpr const char* kAttributes = "axes keepdims noop_with_empty_axes";
  return {{"ReduceSum", 1, 2, 1, kAttributes, reduce<Kind::kSum, 13>},
          {"ReduceMean", 1, 2, 1, kAttributes, reduce<Kind::kMean, 18>},
          {"ReduceMax", 1, 2, 1, kAttributes, reduce<Kind::kMaximum, 18>},
          {"ReduceMin", 1, 2, 1, kAttributes, reduce<Kind::kMinimum, 18>},
          {"ReduceProd", 1, 2, 1, kAttributes, reduce_prod},
          {"GlobalAveragePool", 1, 1, 1, "", global<Kind::kMean>},
          {"GlobalMaxPool", 1, 1, 1, "", global<Kind::kMaximum>}};
}

}  // namespace checker
