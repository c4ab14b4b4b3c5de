// Import rules for the operations that multiply by weights: Gemm, MatMul, Conv, ConvTranspose, BatchNormalization.
#include <fmt/format.h>

#include <numeric>

#include "base/error.h"
#include "onnx/window.h"

namespace plumb::onnx {
namespace {

std::int64_t product(const tensor::Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t result = 1;
  for (std::size_t d = first; d < last; ++d) result *= shape[d];
  return result;
}

// Exchanges the last two dimensions.
Value matrix_transpose(Graph& graph, const Value& value) {
  std::vector<std::int64_t> permutation(value.shape.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return graph.transpose(value, permutation);
}

// Matrix number `batch` of a value of shape batches x rows x columns.
Value matrix_of_batch(Graph& graph, const Value& value, std::int64_t batch) {
  const tensor::Shape matrix{value.shape[value.shape.size() - 2], value.shape.back()};
  const std::int64_t size = graph.size_of(matrix);
  std::vector<std::int64_t> table(static_cast<std::size_t>(size));
  std::iota(table.begin(), table.end(), batch * size);
  return graph.select(value, table, matrix);
}

// x[.., m, k] times a constant w[k, n].
Value times_matrix(Graph& graph, const Value& x, const Value& w) {
  const std::int64_t k = w.shape[0], n = w.shape[1];
  if (!x.is_real()) {
    return graph.dense(x, n, finite_constant(matrix_transpose(graph, w), "the matrix"), {});
  }
  const std::int64_t rows = product(x.shape, 0, x.shape.size() - 1);
  tensor::Shape shape = x.shape;
  shape.back() = n;
  graph.size_of(shape);
  return {shape, matrix_product(finite_constant(x, "the matrix"), finite_constant(w, "the matrix"), rows, k, n), {}};
}

// a[.., m, k] times b[.., k, n] where b is constant; batches broadcast.
Value times_constant(Graph& graph, const Value& a, const Value& b) {
  const std::size_t ra = a.shape.size(), rb = b.shape.size();
  const std::int64_t b_batches = product(b.shape, 0, rb - 2);
  if (b_batches == 1) {
    Value result = times_matrix(graph, a, Value{{b.shape[rb - 2], b.shape[rb - 1]}, b.content, {}});
    result.shape.insert(result.shape.begin(), rb > ra ? rb - ra : 0, 1);
    return result;
  }
  tensor::Shape batch = broadcast_shape(tensor::Shape(a.shape.begin(), a.shape.end() - 2),
                                        tensor::Shape(b.shape.begin(), b.shape.end() - 2));
  const auto with_matrix = [&](const Value& v) {
    tensor::Shape shape = batch;
    shape.insert(shape.end(), v.shape.end() - 2, v.shape.end());
    return graph.broadcast(v, shape);
  };
  const Value all_a = with_matrix(a), all_b = with_matrix(b);
  std::vector<Value> results;
  for (std::int64_t i = 0; i < graph.size_of(batch); ++i) {
    results.push_back(times_matrix(graph, matrix_of_batch(graph, all_a, i), matrix_of_batch(graph, all_b, i)));
  }
  tensor::Shape shape = batch;
  shape.insert(shape.end(), {a.shape[ra - 2], b.shape[rb - 1]});
  std::vector<std::int64_t> table(static_cast<std::size_t>(graph.size_of(shape)));
  std::iota(table.begin(), table.end(), 0);
  return graph.select(results, table, shape);
}

std::vector<Value> import_matmul(OnnxNode& node) {
  Graph& graph = node.graph;
  Value a = node.input(0), b = node.input(1);
  if (!a.is_real() && !b.is_real()) throw Unsupported{"not piecewise linear: both factors depend on the input"};
  if (a.rank() == 0 || b.rank() == 0) throw DataError("", "a factor has no dimensions");
  const bool a_is_vector = a.rank() == 1, b_is_vector = b.rank() == 1;
  if (a_is_vector) a.shape.insert(a.shape.begin(), 1);
  if (b_is_vector) b.shape.push_back(1);
  if (a.shape.back() != b.shape[b.shape.size() - 2]) {
    throw DataError("", fmt::format("factors of shapes {} and {} do not fit each other", tensor::to_string(a.shape),
                                    tensor::to_string(b.shape)));
  }
  // a b = (b^T a^T)^T turns a constant on the left into one on the right.
  Value result =
      b.is_real()
          ? times_constant(graph, a, b)
          : matrix_transpose(graph, times_constant(graph, matrix_transpose(graph, b), matrix_transpose(graph, a)));
  if (b_is_vector) result.shape.pop_back();
  if (a_is_vector) result.shape.erase(result.shape.end() - (b_is_vector ? 1 : 2));
  return {result};
}

std::vector<Value> import_gemm(OnnxNode& node) {
  Graph& graph = node.graph;
  Value a = node.input(0), b = node.input(1);
  if (a.rank() != 2 || b.rank() != 2) {
    throw DataError("", fmt::format("factors of shapes {} and {}: matrices are needed", tensor::to_string(a.shape),
                                    tensor::to_string(b.shape)));
  }
  if (!a.is_real() && !b.is_real()) throw Unsupported{"not piecewise linear: both factors depend on the input"};
  if (node.integer("transA", 0) != 0) a = matrix_transpose(graph, a);
  if (node.integer("transB", 0) != 0) b = matrix_transpose(graph, b);
  if (a.shape[1] != b.shape[0]) {
    throw DataError("", fmt::format("factors of shapes {} and {} do not fit each other", tensor::to_string(a.shape),
                                    tensor::to_string(b.shape)));
  }
  const Value alpha = real_value({}, {node.real("alpha", 1.0)});
  Value& constant = b.is_real() ? b : a;
  if (alpha.reals()[0] != 1.0) constant = graph.scale_and_shift(constant, &alpha, nullptr);
  Value result =
      b.is_real()
          ? times_constant(graph, a, b)
          : matrix_transpose(graph, times_constant(graph, matrix_transpose(graph, b), matrix_transpose(graph, a)));
  if (!node.has_input(2)) return {result};
  const double beta = node.real("beta", 1.0);
  if (broadcast_shape(result.shape, node.input(2).shape) != result.shape) {
    throw DataError("", fmt::format("C of shape {} does not fit a result of shape {}",
                                    tensor::to_string(node.input(2).shape), tensor::to_string(result.shape)));
  }
  return {graph.weighted_sum({result, node.input(2)}, {1.0, beta})};
}

struct ConvolutionInputs {
  Window window;
  std::int64_t groups = 1;
  network::Coefficients weight, bias;
};

// Reads what a convolution and its transpose have in common: weights, biases, groups and the kernel's size. The caller
// fills in the rest of the window.
ConvolutionInputs read_weights(const OnnxNode& node) {
  const Value& x = node.input(0);
  const Value& w = node.input(1);
  if (spatial_shape(x).size() > 2) throw Unsupported{"three-dimensional convolution"};
  if (w.rank() != x.rank()) {
    throw DataError("", fmt::format("weights of shape {} for an input of shape {}", tensor::to_string(w.shape),
                                    tensor::to_string(x.shape)));
  }
  const std::vector<std::int64_t> kernel(w.shape.begin() + 2, w.shape.end());
  if (node.integers("kernel_shape", kernel) != kernel) {
    throw DataError("",
                    fmt::format("kernel_shape does not agree with weights of shape {}", tensor::to_string(w.shape)));
  }
  ConvolutionInputs result;
  result.window.kernel = kernel;
  result.groups = node.integer("group", 1);
  if (result.groups < 1 || w.shape[0] % result.groups != 0) {
    throw DataError("", fmt::format("{} groups of {} channels", result.groups, w.shape[0]));
  }
  result.weight = finite_constant(w, "the weight");
  if (node.has_input(2)) result.bias = finite_constant(node.input(2), "the bias");
  return result;
}

std::vector<Value> import_conv(OnnxNode& node) {
  ConvolutionInputs conv = read_weights(node);
  const Value& x = node.input(0);
  conv.window = read_window(node, spatial_shape(x), conv.window.kernel);
  const Value& w = node.input(1);
  const tensor::ConvolutionGeometry g = geometry_of(node.graph, conv.window, x.shape[1], w.shape[0], conv.groups);
  if (w.shape[1] * conv.groups != g.in_channels) {
    throw DataError("", fmt::format("weights of shape {} in {} groups for an input with {} channels",
                                    tensor::to_string(w.shape), conv.groups, g.in_channels));
  }
  if (!conv.bias.empty() && conv.bias.size() != g.out_channels) {
    throw DataError("", fmt::format("{} biases for {} channels", conv.bias.size(), g.out_channels));
  }
  tensor::Shape shape{1, g.out_channels};
  shape.insert(shape.end(), conv.window.out.begin(), conv.window.out.end());
  return {for_each_sample(node.graph, x, [&](const Value& sample) {
    return node.graph.add(network::Convolution{g, conv.weight, conv.bias}, {node.graph.as_node(sample)}, shape);
  })};
}

// Refuses to add so many zeros behind the result that no convolution matches: the convolution from the result back to
// the input would take more steps than the input has elements.
void check_output_padding(const Window& window, std::size_t d, std::int64_t padding) {
  if (padding < std::max(window.stride[d], window.dilation[d])) return;
  throw DataError("",
                  fmt::format("output_padding, given or implied by output_shape, is {} with stride {} and dilation {}",
                              padding, window.stride[d], window.dilation[d]),
                  "it must be smaller than one of them: pad the result with a Pad node");
}

// Computes the result's spatial size and the padding that is cut off its beginning. ONNX defines both by
// out = stride (in - 1) + output_padding + extent - pad_begin - pad_end.
void place_transposed(const OnnxNode& node, Window& window) {
  const std::size_t rank = window.rank();
  const auto extra = window_attribute(node, "output_padding", rank, 0, 0);
  const auto wanted = node.integers("output_shape", {});
  const AutoPad mode = read_auto_pad(node);
  const bool same = mode == AutoPad::kSameUpper || mode == AutoPad::kSameLower;
  if (!wanted.empty() && wanted.size() != rank) {
    throw DataError("", "output_shape has the wrong number of dimensions");
  }
  window.out.assign(rank, 0);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t extent = (window.kernel[d] - 1) * window.dilation[d] + 1;
    const std::int64_t full = window.stride[d] * (window.in[d] - 1) + extra[d] + extent;
    check_output_padding(window, d, extra[d]);
    if (wanted.empty() && !same) {
      window.out[d] = full - window.pad_begin[d] - window.pad_end[d];
    } else {
      window.out[d] = wanted.empty() ? window.in[d] * window.stride[d] : wanted[d];
      if (window.out[d] > full && wanted.empty()) {
        throw DataError("",
                        fmt::format("auto_pad SAME with a window of size {} and stride {}", extent, window.stride[d]),
                        "run times disagree about the size of the result: give output_shape or pads instead");
      }
      check_output_padding(window, d, extra[d] + window.out[d] - full);
      const std::int64_t total = std::max<std::int64_t>(0, full - window.out[d]);
      window.pad_begin[d] = mode == AutoPad::kSameUpper ? total / 2 : total - total / 2;
    }
    if (window.out[d] < 1 || window.out[d] > tensor::kMaxElements) {
      throw DataError("", fmt::format("a result of size {}", tensor::to_string(window.out)));
    }
  }
}

// Reads strides, dilations and pads without the checks of a forward window: the input of a transposed convolution may
// be smaller than its kernel.
Window read_transposed_window(const OnnxNode& node, const std::vector<std::int64_t>& in,
                              const std::vector<std::int64_t>& kernel) {
  const std::size_t rank = in.size();
  const auto pads = window_attribute(node, "pads", 2 * rank, 0, 0);
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  Window window{in,
                {},
                kernel,
                window_attribute(node, "strides", rank, 1, 1),
                window_attribute(node, "dilations", rank, 1, 1),
                {pads.begin(), middle},
                {middle, pads.end()}};
  place_transposed(node, window);
  return window;
}

std::vector<Value> import_conv_transpose(OnnxNode& node) {
  ConvolutionInputs conv = read_weights(node);
  const Value& x = node.input(0);
  const Value& w = node.input(1);
  if (w.shape[0] != x.shape[1]) {
    throw DataError(
        "", fmt::format("weights of shape {} for an input with {} channels", tensor::to_string(w.shape), x.shape[1]));
  }
  conv.window = read_transposed_window(node, spatial_shape(x), conv.window.kernel);
  // The geometry of the convolution from the result to x.
  Window back = conv.window;
  std::swap(back.in, back.out);
  const tensor::ConvolutionGeometry g =
      geometry_of(node.graph, back, w.shape[1] * conv.groups, x.shape[1], conv.groups);
  if (!conv.bias.empty() && conv.bias.size() != g.in_channels) {
    throw DataError("", fmt::format("{} biases for {} channels", conv.bias.size(), g.in_channels));
  }
  tensor::Shape shape{1, g.in_channels};
  shape.insert(shape.end(), conv.window.out.begin(), conv.window.out.end());
  return {for_each_sample(node.graph, x, [&](const Value& sample) {
    return node.graph.add(network::TransposedConvolution{g, conv.weight, conv.bias}, {node.graph.as_node(sample)},
                          shape);
  })};
}

std::vector<Value> import_batch_normalization(OnnxNode& node) {
  if (node.integer("training_mode", 0) != 0) throw Unsupported{"training mode: export the network for inference"};
  if (node.integer("spatial", 1) == 0) throw Unsupported{"batch normalisation with spatial = 0"};
  const Value& x = node.input(0);
  if (x.rank() < 2) throw DataError("", fmt::format("an input of shape {}", tensor::to_string(x.shape)));
  const auto parameter = [&](std::int64_t i, const char* what) {
    const network::Coefficients& c = finite_constant(node.input(i), what);
    if (c.size() != x.shape[1])
      throw DataError("", fmt::format("{} has {} numbers, but there are {} channels", what, c.size(), x.shape[1]));
    return c;
  };
  const network::Coefficients gamma = parameter(1, "the scale"), beta = parameter(2, "the bias");
  const network::Coefficients mean = parameter(3, "the mean"), variance = parameter(4, "the variance");
  const network::Coefficients epsilon({node.real("epsilon", static_cast<double>(1e-5F))});
  // s = gamma / sqrt(variance + epsilon); y = s x + (beta - mean s)
  const network::Coefficients scale = divide(gamma, square_root(network::add(variance, epsilon)));
  const network::Coefficients shift = network::add(beta, negate(multiply(mean, scale)));
  tensor::Shape per_channel(x.shape.size() - 1, 1);
  per_channel[0] = x.shape[1];
  const Value s{per_channel, scale, {}}, t{per_channel, shift, {}};
  return {node.graph.scale_and_shift(x, &s, &t)};
}

}  // namespace

const RuleTable& affine_rules() {
  static const RuleTable rules{
      {"Gemm",
       import_gemm,
       {{7, "T T T -> T", "alpha:float beta:float transA:int transB:int"},
        {11, "T T T? -> T", "alpha:float beta:float transA:int transB:int"}}},
      {"MatMul", import_matmul, {{1, "T T -> T", ""}}},
      {"Conv",
       import_conv,
       {{1, "T T T? -> T", "auto_pad:string dilations:ints group:int kernel_shape:ints pads:ints strides:ints"}}},
      {"ConvTranspose",
       import_conv_transpose,
       {{1, "T T T? -> T",
         "auto_pad:string dilations:ints group:int kernel_shape:ints output_padding:ints output_shape:ints pads:ints "
         "strides:ints"}}},
      {"BatchNormalization",
       import_batch_normalization,
       {{7, "T T T T T -> T T? T? T? T?", "epsilon:float momentum:float spatial:int"},
        {9, "T T T T T -> T T? T? T? T?", "epsilon:float momentum:float"},
        {14, "T T T U U -> T U? U?", "epsilon:float momentum:float training_mode:int"},
        {15, "T T1 T1 T2 T2 -> T T2? T2?", "epsilon:float momentum:float training_mode:int"}}}};
  return rules;
}

}  // namespace plumb::onnx
