// Products with known matrices, batch normalisation, and reductions.
#include <numeric>

#include "onnx_node.h"

namespace checker {
namespace {

// Exchanges the last two dimensions.
Value transposed(Graph& graph, const Value& matrix) {
  Integers permutation(matrix.shape.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return graph.transpose(matrix, permutation);
}

// a [.., m, k] times a known b [.., k, n]; batches of matrices broadcast.
Value times_known(Graph& graph, const Value& a, const Value& b) {
  const Shape batch_a(a.shape.begin(), a.shape.end() - 2), batch_b(b.shape.begin(), b.shape.end() - 2);
  const std::int64_t m = a.shape[a.shape.size() - 2], k = a.shape.back(), n = b.shape.back();
  Shape shape = broadcast_shape(batch_a, batch_b);
  const Integers of_a = graph.broadcast_sources(batch_a, shape), of_b = graph.broadcast_sources(batch_b, shape);
  Affine op{*transposed(graph, b).numbers, {}, {{{0, 0, 0, k}}}};
  shape.insert(shape.end(), {m, n});
  graph.take(size_of(shape));
  for (std::size_t s = 0; s < of_a.size(); ++s) {
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t column = 0; column < n; ++column)
        op.elements.emplace_back(0, (of_a[s] * m + row) * k, (of_b[s] * n + column) * k);
    }
  }
  if (size_of(batch_b) == 1) op.rows = std::ssize(of_a) * m, op.inputs = k, op.outputs = n;
  return graph.add(std::move(op), {a}, shape);
}

// A known a turns into a known right-hand side: a b = (b^T a^T)^T.
Value product(Graph& graph, const Value& a, const Value& b) {
  require(is_float(a.type), "a product of integers");
  const bool fits = a.shape.back() == b.shape[b.shape.size() - 2];
  require(fits, "shapes " + text_of(a.shape) + " and " + text_of(b.shape) + " do not fit each other");
  require(a.is_known() || b.is_known(), "not piecewise linear: both factors depend on the input");
  if (b.is_known()) return times_known(graph, a, b);
  return transposed(graph, times_known(graph, transposed(graph, b), transposed(graph, a)));
}

Values matmul(const OnnxNode& node) {
  Value a = node.input(0), b = node.input(1);
  require(a.rank() > 0 && b.rank() > 0, "a factor has no dimensions");
  const bool a_is_vector = a.rank() == 1, b_is_vector = b.rank() == 1;
  if (a_is_vector) a.shape.insert(a.shape.begin(), 1);
  if (b_is_vector) b.shape.push_back(1);
  Value result = product(node.graph, a, b);
  if (b_is_vector) result.shape.pop_back();
  if (a_is_vector) result.shape.erase(result.shape.end() - (b_is_vector ? 1 : 2));
  return {result};
}

Values gemm(const OnnxNode& node) {
  Value a = node.input(0), b = node.input(1);
  require(a.rank() == 2 && b.rank() == 2, "its factors are not matrices");
  if (node.integer("transA", 0) != 0) a = transposed(node.graph, a);
  if (node.integer("transB", 0) != 0) b = transposed(node.graph, b);
  const double alpha = node.real("alpha", 1);
  Value& constant = b.is_known() ? b : a;
  const int type = a.type;
  if (alpha != 1) constant = node.graph.scale(constant, known(alpha));
  a.type = type;
  const Value result = product(node.graph, a, b);
  if (!node.has(2)) return {result};
  require(broadcast_shape(result.shape, node.input(2).shape) == result.shape, "C does not fit the product");
  return {node.graph.sum({result, node.input(2)}, {1.0, node.real("beta", 1)})};
}

// y = s x + (b - s mean), s = factor / sqrt(variance + epsilon).
Values batch_normalization(const OnnxNode& node) {
  require(node.integer("training_mode", 0) == 0 && node.integer("spatial", 1) != 0, "training, or spatial = 0");
  const Value& x = node.input(0);
  require(x.rank() >= 2 && size_of(x.shape) > 0, "an input of shape " + text_of(x.shape));
  const Interval epsilon = node.real("epsilon", static_cast<double>(1e-5F));
  for (std::size_t i = 1; i < 5; ++i) {
    require(node.known_input(i).shape == Shape{x.shape[1]}, "input " + std::to_string(i) + " is not one per channel");
    check_finite(*node.input(i).numbers);
  }
  std::vector<Interval> scale, shift;
  for (std::size_t c = 0; c < at(x.shape[1]); ++c) {
    const auto parameter = [&](std::size_t i) { return (*node.input(i).numbers)[c]; };
    const Interval variance = parameter(4) + epsilon;
    require(variance.low() > 0, "the variance of channel " + std::to_string(c) + " is not positive");
    scale.push_back(parameter(1) / square_root(variance));
    shift.push_back(parameter(2) - parameter(3) * scale.back());
  }
  Shape channels(x.shape.size() - 1, 1);
  channels[0] = x.shape[1];
  return {node.graph.scale(x, known(channels, numbers_of(scale)), numbers_of(shift))};
}

// Reductions over whole axes, and global poolings -----------------------------------------------------------------

enum class Kind { kSum, kMean, kMaximum, kMinimum };

// Reduces the axes; all of them if none are given. They are moved behind the others first.
Value reduced(const OnnxNode& node, const Integers& axes, bool keep, Kind kind) {
  Graph& graph = node.graph;
  const Value& x = node.input(0);
  require(is_float(x.type), "integers where reals are needed");
  std::vector<bool> goes(x.shape.size(), axes.empty());
  for (const std::int64_t axis : axes) goes[at(OnnxNode::axis(axis, x.rank()))] = true;
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
    const Numbers weights = numbers_of(std::vector<Interval>(at(inner), weight));
    return reshaped(times_known(graph, rows, known({inner, 1}, weights)), shape);
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

Rules affine_rules() {
  constexpr const char* kAttributes = "axes keepdims noop_with_empty_axes";
  return {{"MatMul", 2, 2, kAny, "", matmul},
          {"Gemm", 2, 3, kAny, "alpha beta transA transB", gemm},
          {"BatchNormalization", 5, 5, 1, "epsilon momentum spatial training_mode", batch_normalization},
          {"ReduceSum", 1, 2, 1, kAttributes, reduce<Kind::kSum, 13>},
          {"ReduceMean", 1, 2, 1, kAttributes, reduce<Kind::kMean, 18>},
          {"ReduceMax", 1, 2, 1, kAttributes, reduce<Kind::kMaximum, 18>},
          {"ReduceMin", 1, 2, 1, kAttributes, reduce<Kind::kMinimum, 18>},
          {"ReduceProd", 1, 2, 1, kAttributes, reduce_prod},
          {"GlobalAveragePool", 1, 1, 1, "", global<Kind::kMean>},
          {"GlobalMaxPool", 1, 1, 1, "", global<Kind::kMaximum>}};
}

}  // namespace checker
