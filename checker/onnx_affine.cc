// Products with known matrices, and batch normalisation.
#include <numeric>

#include "onnx_node.h"
#include "values.h"

namespace checker {
namespace {

// Exchanges the last two dimensions.
Value transposed(Graph& graph, const Value& matrix) {
  Integers permutation(matrix.shape.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return graph.transpose(matrix, permutation);
}

// x [.., k] times a known w [k, n].
Value times_matrix(Graph& graph, const Value& x, const Value& w) {
  const std::int64_t k = w.shape[0], n = w.shape[1];
  Shape shape = x.shape;
  shape.pop_back();
  const std::int64_t rows = size_of(shape);
  shape.push_back(n);
  return graph.add(Dense{rows, k, n, transposed(graph, w).numbers(), {}}, {x}, shape);
}

// a [.., m, k] times a known b [.., k, n]; batches of matrices broadcast.
Value times_known(Graph& graph, const Value& a, const Value& b) {
  const Shape batch_a(a.shape.begin(), a.shape.end() - 2), batch_b(b.shape.begin(), b.shape.end() - 2);
  const Shape batch = broadcast_shape(batch_a, batch_b);
  const std::int64_t m = a.shape[a.shape.size() - 2], k = a.shape.back(), n = b.shape.back();
  Shape shape = batch;
  shape.insert(shape.end(), {m, n});
  if (size_of(batch_b) == 1) return reshaped(times_matrix(graph, a, reshaped(b, {k, n})), shape);
  const std::int64_t count = size_of(batch);
  const auto in_batch = [&](const Value& v, std::int64_t rows, std::int64_t columns) {
    Shape all = batch;
    all.insert(all.end(), {rows, columns});
    return reshaped(graph.broadcast(v, all), {count, rows, columns});
  };
  const Value all_a = in_batch(a, m, k), all_b = in_batch(b, k, n);
  std::vector<Value> products;
  for (std::int64_t i = 0; i < count; ++i) {
    const Value matrix = reshaped(graph.pick(all_b, 0, {i}), {k, n});
    products.push_back(times_matrix(graph, graph.pick(all_a, 0, {i}), matrix));
  }
  if (products.empty()) throw BadFile("a batch without matrices");
  return reshaped(graph.concatenate(products, 0), shape);
}

// A known a turns into a known right-hand side: a b = (b^T a^T)^T.
Value product(Graph& graph, const Value& a, const Value& b) {
  if (a.is_integer() || b.is_integer()) throw BadFile("a product of integers");
  if (a.shape.back() != b.shape[b.shape.size() - 2]) {
    throw BadFile("shapes " + text_of(a.shape) + " and " + text_of(b.shape) + " do not fit each other");
  }
  if (b.is_known()) return times_known(graph, a, b);
  if (!a.is_known()) throw BadFile("not piecewise linear: both factors depend on the input");
  return transposed(graph, times_known(graph, transposed(graph, b), transposed(graph, a)));
}

std::vector<Value> matmul(OnnxNode& node) {
  Value a = node.input(0), b = node.input(1);
  if (a.rank() == 0 || b.rank() == 0) throw BadFile("a factor has no dimensions");
  const bool a_is_vector = a.rank() == 1, b_is_vector = b.rank() == 1;
  if (a_is_vector) a.shape.insert(a.shape.begin(), 1);
  if (b_is_vector) b.shape.push_back(1);
  Value result = product(node.graph, a, b);
  if (b_is_vector) result.shape.pop_back();
  if (a_is_vector) result.shape.erase(result.shape.end() - (b_is_vector ? 1 : 2));
  return {result};
}

std::vector<Value> gemm(OnnxNode& node) {
  Graph& graph = node.graph;
  Value a = node.input(0), b = node.input(1);
  if (a.rank() != 2 || b.rank() != 2) throw BadFile("its factors are not matrices");
  if (node.integer("transA", 0) != 0) a = transposed(graph, a);
  if (node.integer("transB", 0) != 0) b = transposed(graph, b);
  const double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  if (alpha != 1) (b.is_known() ? b : a) = graph.scale(b.is_known() ? b : a, known({}, Numbers{{alpha}, {}}));
  const Value result = product(graph, a, b);
  if (!node.has(2)) return {result};
  if (broadcast_shape(result.shape, node.input(2).shape) != result.shape) throw BadFile("C does not fit the product");
  return {graph.sum({result, node.input(2)}, {{1.0, beta}, {}})};
}

// y = s x + (b - s mean), s = factor / sqrt(variance + epsilon).
std::vector<Value> batch_normalization(OnnxNode& node) {
  if (node.integer("training_mode", 0) != 0 || node.integer("spatial", 1) == 0) {
    throw BadFile("training mode, or statistics for each position");
  }
  const Value& x = node.input(0);
  if (x.rank() < 2) throw BadFile("an input of shape " + text_of(x.shape));
  const Interval epsilon = node.real("epsilon", static_cast<double>(1e-5F));
  const std::int64_t channels = x.shape[1];
  for (std::size_t i = 1; i < 5; ++i) {
    if (!node.input(i).is_known() || node.input(i).shape != Shape{channels}) {
      throw BadFile("input " + std::to_string(i) + " is not one known number per channel");
    }
    check_finite(node.input(i).numbers());
  }
  std::vector<Interval> scale, shift;
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    const auto parameter = [&](std::size_t i) { return node.input(i).numbers()[c]; };
    const Interval variance = parameter(4) + epsilon;
    if (!(variance.low() > 0)) throw BadFile("the variance of channel " + std::to_string(c) + " is not positive");
    scale.push_back(parameter(1) / square_root(variance));
    shift.push_back(parameter(2) - parameter(3) * scale.back());
  }
  const std::int64_t inner = x.shape[0] == 0 || channels == 0 ? 1 : size_of(x.shape) / x.shape[0] / channels;
  return {node.graph.add(Scale{x.shape[0], channels, inner, numbers_of(scale), numbers_of(shift)}, {x}, x.shape)};
}

}  // namespace

Rules affine_rules() {
  return {{"MatMul", matmul, 2, 2, ""},
          {"Gemm", gemm, 2, 3, "alpha beta transA transB"},
          {"BatchNormalization", batch_normalization, 5, 5, "epsilon momentum spatial training_mode"}};
}

}  // namespace checker
