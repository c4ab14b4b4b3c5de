// Import rules for operations that join several elements into one: poolings and reductions.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/numbers.h"
#include "onnx/window.h"

namespace plumb::onnx {
namespace {

network::Coefficients ones(std::int64_t count) { return network::Coefficients(std::vector<double>(index(count), 1.0)); }

// The positions, within one channel, of the elements that the window covers at an output position.
std::vector<std::int64_t> window_members(const Window& window, std::span<const std::int64_t> position) {
  const auto strides = tensor::strides_of(window.in);
  std::vector<std::int64_t> members{0};
  for (std::size_t d = 0; d < window.rank(); ++d) {
    std::vector<std::int64_t> extended;
    for (const std::int64_t member : members) {
      for (std::int64_t k = 0; k < window.kernel[d]; ++k) {
        const std::int64_t i = position[d] * window.stride[d] + k * window.dilation[d] - window.pad_begin[d];
        if (i >= 0 && i < window.in[d]) extended.push_back(member + i * strides[d]);
      }
    }
    members = std::move(extended);
  }
  return members;
}

// All windows together may list far more members than the tensors have elements, so the members count against the
// graph's room.
void check_window_work(Graph& graph, const Window& window, std::int64_t channels) {
  tensor::Shape work{channels};
  work.insert(work.end(), window.out.begin(), window.out.end());
  work.insert(work.end(), window.kernel.begin(), window.kernel.end());
  graph.use_room(graph.size_of(work));
}

tensor::Shape pooled_shape(const Value& x, const Window& window) {
  tensor::Shape shape{x.shape[0], x.shape[1]};
  shape.insert(shape.end(), window.out.begin(), window.out.end());
  return shape;
}

std::vector<Value> import_max_pool(OnnxNode& node) {
  if (node.has_output(1)) throw Unsupported{"its second output, the indices, is not piecewise linear"};
  const Value& x = node.input(0);
  const auto in = spatial_shape(x);
  const Window window = read_window(node, in, node.integers("kernel_shape", {}));
  const std::int64_t planes = x.shape[0] * x.shape[1], plane = tensor::element_count(in);
  check_window_work(node.graph, window, planes);
  std::vector<std::vector<std::int64_t>> first_plane;
  node.graph.build_table(window.out, [&](std::span<const std::int64_t> position) {
    first_plane.push_back(window_members(window, position));
    return 0;
  });
  std::vector<std::vector<std::int64_t>> groups;
  for (std::int64_t p = 0; p < planes; ++p) {
    for (std::vector<std::int64_t> group : first_plane) {
      for (std::int64_t& member : group) member += p * plane;
      groups.push_back(std::move(group));
    }
  }
  return {node.graph.maximum_of_groups(x, groups, pooled_shape(x, window))};
}

// With count_include_pad, ONNX counts the padding and nothing beyond it. ONNX Runtime deviates in two cases, which are
// refused. Before opset 19 it divides by the window's whole size, even if ceil_mode lets the window reach beyond the
// padding. From opset 19 on it does not count the padding that auto_pad adds at the end.
void check_counted_padding(const OnnxNode& node, const Window& window) {
  for (std::size_t d = 0; d < window.rank(); ++d) {
    const std::int64_t extent = (window.kernel[d] - 1) * window.dilation[d] + 1;
    const std::int64_t end = (window.out[d] - 1) * window.stride[d] + extent;
    const bool beyond = end > window.in[d] + window.pad_begin[d] + window.pad_end[d];
    const bool automatic = window.pad_end[d] > 0 && read_auto_pad(node) != AutoPad::kNone;
    if (node.opset() < 19 ? !beyond : !automatic) continue;
    throw DataError(
        "",
        fmt::format("count_include_pad with {}",
                    automatic ? "auto_pad SAME" : "a window that reaches beyond the padding (ceil_mode)"),
        fmt::format("run times disagree about what it counts at opset {}: give explicit pads, and no ceil_mode",
                    node.opset()));
  }
}

// The number of elements that an average divides by, for each output position.
std::vector<double> divisors(const OnnxNode& node, const Window& window) {
  const bool count_padding = node.integer("count_include_pad", 0) != 0;
  if (count_padding) check_counted_padding(node, window);
  std::vector<double> result;
  node.graph.build_table(window.out, [&](std::span<const std::int64_t> position) {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < window.rank(); ++d) {
      std::int64_t along = 0;
      for (std::int64_t k = 0; k < window.kernel[d]; ++k) {
        const std::int64_t i = position[d] * window.stride[d] + k * window.dilation[d] - window.pad_begin[d];
        const std::int64_t margin_begin = count_padding ? window.pad_begin[d] : 0;
        const std::int64_t margin_end = count_padding ? window.pad_end[d] : 0;
        along += i >= -margin_begin && i < window.in[d] + margin_end;
      }
      count *= along;
    }
    if (count == 0) throw DataError("", "a window contains only padding");
    result.push_back(static_cast<double>(count));
    return 0;
  });
  return result;
}

// A depthwise convolution with ones, then a division by the number of elements.
std::vector<Value> import_average_pool(OnnxNode& node) {
  const Value& x = node.input(0);
  const auto in = spatial_shape(x);
  if (in.size() > 2) throw Unsupported{"three-dimensional average pooling"};
  const Window window = read_window(node, in, node.integers("kernel_shape", {}));
  check_window_work(node.graph, window, x.shape[0] * x.shape[1]);
  const tensor::ConvolutionGeometry g = geometry_of(node.graph, window, x.shape[1], x.shape[1], x.shape[1]);
  tensor::Shape shape = pooled_shape(x, window);
  shape[0] = 1;
  const Value sums = for_each_sample(node.graph, x, [&](const Value& sample) {
    return node.graph.add(network::Convolution{g, ones(g.weight_count()), {}}, {node.graph.as_node(sample)}, shape);
  });
  std::vector<double> counts = divisors(node, window);
  const bool all_same = std::all_of(counts.begin(), counts.end(), [&](double c) { return c == counts[0]; });
  if (all_same) counts.resize(1);
  const network::Coefficients share =
      divide(ones(static_cast<std::int64_t>(counts.size())), network::Coefficients(counts));
  const Value factor{all_same ? tensor::Shape{} : tensor::Shape(window.out), share, {}};
  return {node.graph.scale_and_shift(sums, &factor, nullptr)};
}

// The value with the reduced axes moved behind the others, and the shape of the result.
struct Reduction {
  Value rows;  // kept elements x reduced elements
  tensor::Shape shape;
};

std::optional<Reduction> read_reduction(const OnnxNode& node, std::vector<std::int64_t> axes, bool keep) {
  const Value& x = node.input(0);
  std::vector<bool> reduced(x.shape.size(), axes.empty());
  for (const std::int64_t axis : axes) reduced[index(node.axis(axis, x.rank()))] = true;
  std::vector<std::int64_t> order;
  tensor::Shape shape;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    if (!reduced[d]) order.push_back(static_cast<std::int64_t>(d));
    if (!reduced[d]) shape.push_back(x.shape[d]);
    if (reduced[d] && keep) shape.push_back(1);
    (reduced[d] ? inner : outer) *= x.shape[d];
  }
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    if (reduced[d]) order.push_back(static_cast<std::int64_t>(d));
  }
  if (inner == 0) throw DataError("", "a reduction over no elements");
  Value rows = node.graph.transpose(x, order);
  rows.shape = {outer, inner};
  return Reduction{std::move(rows), std::move(shape)};
}

std::optional<Reduction> read_reduction(const OnnxNode& node) {
  const auto axes = node.integers_from(1, "axes");
  if ((!axes || axes->empty()) && node.integer("noop_with_empty_axes", 0) != 0) return std::nullopt;
  return read_reduction(node, axes.value_or(std::vector<std::int64_t>{}), node.integer("keepdims", 1) != 0);
}

// Global poolings reduce all spatial dimensions.
Reduction read_global(const OnnxNode& node) {
  std::vector<std::int64_t> axes(spatial_shape(node.input(0)).size());
  std::iota(axes.begin(), axes.end(), 2);
  return *read_reduction(node, axes, true);
}

Value sum_of(Graph& graph, const Reduction& r, double divisor) {
  const std::int64_t inner = r.rows.shape[1];
  const network::Coefficients weight = divide(ones(inner), network::Coefficients({divisor}));
  Value result =
      r.rows.is_real()
          ? Value{{}, matrix_product(finite_constant(r.rows, "a constant"), weight, r.rows.shape[0], inner, 1), {}}
          : graph.dense(r.rows, 1, weight, {});
  result.shape = r.shape;
  return result;
}

Value maximum_of(Graph& graph, const Reduction& r) {
  std::vector<std::vector<std::int64_t>> groups(index(r.rows.shape[0]));
  for (std::int64_t i = 0; i < graph.size_of(r.rows.shape); ++i) groups[index(i / r.rows.shape[1])].push_back(i);
  return graph.maximum_of_groups(r.rows, groups, r.shape);
}

std::vector<Value> import_reduce_sum(OnnxNode& node) {
  if (node.input(0).is_integer()) throw Unsupported{"a sum of integers"};
  const auto r = read_reduction(node);
  return {r ? sum_of(node.graph, *r, 1.0) : node.input(0)};
}

std::vector<Value> import_reduce_mean(OnnxNode& node) {
  const auto r = read_reduction(node);
  return {r ? sum_of(node.graph, *r, static_cast<double>(r->rows.shape[1])) : node.input(0)};
}

std::vector<Value> import_reduce_max(OnnxNode& node) {
  const auto r = read_reduction(node);
  return {r ? maximum_of(node.graph, *r) : node.input(0)};
}

std::vector<Value> import_reduce_min(OnnxNode& node) {
  auto r = read_reduction(node);
  if (!r) return {node.input(0)};
  r->rows = node.graph.negate(r->rows);
  return {node.graph.negate(maximum_of(node.graph, *r))};
}

std::vector<Value> import_reduce_prod(OnnxNode& node) {
  const Value& x = node.input(0);
  if (!x.is_integer()) throw Unsupported{"not piecewise linear"};
  const auto r = read_reduction(node);
  if (!r) return {x};
  std::vector<std::int64_t> result(index(r->rows.shape[0]), 1);
  for (std::size_t i = 0; i < r->rows.integers().size(); ++i) {
    std::int64_t& target = result[i / index(r->rows.shape[1])];
    target = static_cast<std::int64_t>(static_cast<std::uint64_t>(target) *
                                       static_cast<std::uint64_t>(r->rows.integers()[i]));
  }
  return {integer_value(r->shape, std::move(result))};
}

std::vector<Value> import_global_average_pool(OnnxNode& node) {
  const Reduction r = read_global(node);
  return {sum_of(node.graph, r, static_cast<double>(r.rows.shape[1]))};
}

std::vector<Value> import_global_max_pool(OnnxNode& node) { return {maximum_of(node.graph, read_global(node))}; }

// The axes are an attribute in early opsets and an input from the given opset on.
std::vector<Form> reduction_forms(std::int64_t axes_are_an_input_since) {
  return {{1, "T -> T", "axes:ints keepdims:int"},
          {axes_are_an_input_since, "T int64? -> T", "keepdims:int noop_with_empty_axes:int"}};
}

}  // namespace

const RuleTable& pooling_rules() {
  static const RuleTable rules{
      {"MaxPool",
       import_max_pool,
       {{8, "T -> T int64?", "auto_pad:string kernel_shape:ints! pads:ints storage_order:int strides:ints"},
        {10, "T -> T int64?",
         "auto_pad:string ceil_mode:int dilations:ints kernel_shape:ints! pads:ints storage_order:int strides:ints"}}},
      {"AveragePool",
       import_average_pool,
       {{7, "T -> T", "auto_pad:string count_include_pad:int kernel_shape:ints! pads:ints strides:ints"},
        {10, "T -> T", "auto_pad:string ceil_mode:int count_include_pad:int kernel_shape:ints! pads:ints strides:ints"},
        {19, "T -> T",
         "auto_pad:string ceil_mode:int count_include_pad:int dilations:ints kernel_shape:ints! pads:ints "
         "strides:ints"}}},
      {"GlobalAveragePool", import_global_average_pool, {{1, "T -> T", ""}}},
      {"GlobalMaxPool", import_global_max_pool, {{1, "T -> T", ""}}},
      {"ReduceSum", import_reduce_sum, reduction_forms(13)},
      {"ReduceMean", import_reduce_mean, reduction_forms(18)},
      {"ReduceMax", import_reduce_max, reduction_forms(18)},
      {"ReduceMin", import_reduce_min, reduction_forms(18)},
      {"ReduceProd", import_reduce_prod, reduction_forms(18)}};
  return rules;
}

}  // namespace plumb::onnx
