// Products with known matrices, and batch normalisation.
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

// x [.., m, k] times a known w [k, n].
Value times_matrix(Graph& graph, const Value& x, const Value& w) {
  Shape shape = x.shape;
  shape.back() = 1;
  const Dense op{size_of(shape), w.shape[0], w.shape[1], *transposed(graph, w).numbers, {}};
  shape.back() = w.shape[1];
  return graph.add(op, {x}, shape);
}

// a [.., m, k] times a known b [.., k, n]; batches of matrices broadcast.
Value times_known(Graph& graph, const Value& a, const Value& b) {
  const Shape batch_b(b.shape.begin(), b.shape.end() - 2);
  const Shape batch = broadcast_shape({a.shape.begin(), a.shape.end() - 2}, batch_b);
  const std::int64_t m = a.shape[a.shape.size() - 2], k = a.shape.back(), n = b.shape.back(), count = size_of(batch);
  const auto with_batch = [&](std::int64_t rows, std::int64_t columns) {
    Shape shape = batch;
    shape.insert(shape.end(), {rows, columns});
    return shape;
  };
  if (size_of(batch_b) == 1) return reshaped(times_matrix(graph, a, reshaped(b, {k, n})), with_batch(m, n));
  const Value all_a = reshaped(graph.broadcast(a, with_batch(m, k)), {count, m, k});
  const Value all_b = reshaped(graph.broadcast(b, with_batch(k, n)), {count, k, n});
  Values products;
  for (std::int64_t i = 0; i < count; ++i) {
    products.push_back(times_matrix(graph, graph.pick(all_a, 0, {i}), reshaped(graph.pick(all_b, 0, {i}), {k, n})));
  }
  require(count > 0, "a batch without matrices");
  return reshaped(graph.concatenate(products, 0), with_batch(m, n));
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
  for (std::size_t c = 0; c < static_cast<std::size_t>(x.shape[1]); ++c) {
    const auto parameter = [&](std::size_t i) { return (*node.input(i).numbers)[c]; };
    const Interval variance = parameter(4) + epsilon;
    require(variance.low() > 0, "the variance of channel " + std::to_string(c) + " is not positive");
    scale.push_back(parameter(1) / square_root(variance));
    shift.push_back(parameter(2) - parameter(3) * scale.back());
  }
  const std::int64_t inner = size_of(x.shape) / x.shape[0] / x.shape[1];
  return {node.graph.add(Scale{x.shape[0], x.shape[1], inner, numbers_of(scale), numbers_of(shift)}, {x}, x.shape)};
}

}  // namespace

Rules affine_rules() {
  return {{"MatMul", 2, 2, kAny, "", matmul},
          {"Gemm", 2, 3, kAny, "alpha beta transA transB", gemm},
          {"BatchNormalization", 5, 5, 1, "epsilon momentum spatial training_mode", batch_normalization}};
}

}  // namespace checker
