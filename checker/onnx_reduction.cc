// Reductions over whole axes, and global poolings.
#include <numeric>

#include "onnx_node.h"

namespace checker {
namespace {

// The operand with the reduced axes behind the others, and the shape of the result.
struct Reduction {
  Value rows;  // kept elements x reduced elements
  Shape shape;
};

Reduction reduction_over(OnnxNode& node, const Integers& axes, bool keep) {
  const Value& x = node.input(0);
  std::vector<bool> reduced(x.shape.size(), axes.empty());
  for (const std::int64_t axis : axes) reduced[static_cast<std::size_t>(OnnxNode::axis(axis, x.rank()))] = true;
  Integers kept, gone;
  Shape shape;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < reduced.size(); ++d) {
    (reduced[d] ? gone : kept).push_back(static_cast<std::int64_t>(d));
    (reduced[d] ? inner : outer) *= x.shape[d];
    if (!reduced[d] || keep) shape.push_back(reduced[d] ? 1 : x.shape[d]);
  }
  if (inner == 0) throw BadFile("a reduction over no elements");
  kept.insert(kept.end(), gone.begin(), gone.end());
  return {reshaped(node.graph.transpose(x, kept), {outer, inner}), shape};
}

// Nothing if no axis is reduced. Axes are an input since an opset.
std::optional<Reduction> reduction_of(OnnxNode& node, std::int64_t since) {
  const Integers axes = node.integers_since(since, 1, "axes").value_or(Integers{});
  if (axes.empty() && node.opset >= since && node.integer("noop_with_empty_axes", 0) != 0) return std::nullopt;
  return reduction_over(node, axes, node.integer("keepdims", 1) != 0);
}

Reduction global_reduction(OnnxNode& node) {
  if (node.input(0).rank() < 3) throw BadFile("an input of shape " + text_of(node.input(0).shape));
  Integers axes(node.input(0).shape.size() - 2);
  std::iota(axes.begin(), axes.end(), 2);
  return reduction_over(node, axes, true);
}

Value sum_of(Graph& graph, const Reduction& r, bool is_mean) {
  const std::int64_t outer = r.rows.shape[0], inner = r.rows.shape[1];
  const Interval weight = is_mean ? Interval(1.0) / Interval(static_cast<double>(inner)) : Interval(1.0);
  const Numbers weights = numbers_of(std::vector<Interval>(static_cast<std::size_t>(inner), weight));
  return graph.add(Dense{outer, inner, 1, weights, {}}, {r.rows}, r.shape);
}

Value maximum_of(Graph& graph, const Reduction& r) {
  const std::int64_t n = size_of(r.rows.shape), inner = r.rows.shape[1];
  graph.take(n);
  Maximum op;
  for (std::int64_t i = 0; i < n; ++i) op.members.push_back(static_cast<std::int32_t>(i));
  for (std::int64_t i = 0; i <= n; i += inner) op.offsets.push_back(i);
  return graph.add(std::move(op), {r.rows}, r.shape);
}

std::vector<Value> reduce_sum(OnnxNode& node) {
  const auto r = reduction_of(node, 13);
  return {r ? sum_of(node.graph, *r, false) : node.input(0)};
}

std::vector<Value> reduce_mean(OnnxNode& node) {
  const auto r = reduction_of(node, 18);
  return {r ? sum_of(node.graph, *r, true) : node.input(0)};
}

std::vector<Value> reduce_max(OnnxNode& node) {
  const auto r = reduction_of(node, 18);
  return {r ? maximum_of(node.graph, *r) : node.input(0)};
}

std::vector<Value> reduce_min(OnnxNode& node) {
  auto r = reduction_of(node, 18);
  if (!r) return {node.input(0)};
  if (r->rows.is_integer()) throw BadFile("integers where reals are needed");
  r->rows = node.graph.negate(r->rows);
  return {node.graph.negate(maximum_of(node.graph, *r))};
}

std::vector<Value> reduce_prod(OnnxNode& node) {
  if (!node.input(0).is_integer()) throw BadFile("not piecewise linear");
  const auto r = reduction_of(node, 18);
  if (!r) return {node.input(0)};
  Integers result(static_cast<std::size_t>(r->rows.shape[0]), 1);
  for (std::size_t i = 0; i < r->rows.integers().size(); ++i) {
    std::int64_t& product = result[i / static_cast<std::size_t>(r->rows.shape[1])];
    if (__builtin_mul_overflow(product, r->rows.integers()[i], &product)) throw BadFile("an integer becomes too large");
  }
  return {known(r->shape, std::move(result))};
}

std::vector<Value> global_average_pool(OnnxNode& node) { return {sum_of(node.graph, global_reduction(node), true)}; }
std::vector<Value> global_max_pool(OnnxNode& node) { return {maximum_of(node.graph, global_reduction(node))}; }

}  // namespace

Rules reduction_rules() {
  constexpr const char* kAttributes = "axes keepdims noop_with_empty_axes";
  return {{"ReduceSum", reduce_sum, 1, 2, kAttributes},   {"ReduceMean", reduce_mean, 1, 2, kAttributes},
          {"ReduceMax", reduce_max, 1, 2, kAttributes},   {"ReduceMin", reduce_min, 1, 2, kAttributes},
          {"ReduceProd", reduce_prod, 1, 2, kAttributes}, {"GlobalAveragePool", global_average_pool, 1, 1, ""},
          {"GlobalMaxPool", global_max_pool, 1, 1, ""}};
}

}  // namespace checker
