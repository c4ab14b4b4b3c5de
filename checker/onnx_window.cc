// Operations with a sliding window: convolutions, and poolings over windows.
#include <algorithm>
#include <functional>

#include "onnx_node.h"

namespace checker {
namespace {

// One entry per spatial dimension.
struct Window {
  Shape in, out, kernel, stride, dilation, pad_begin, pad_end;
  std::string auto_pad;  // empty: explicit pads
  bool is_pooling = false;

  std::size_t rank() const { return in.size(); }
  std::int64_t extent(std::size_t d) const { return (kernel[d] - 1) * dilation[d] + 1; }
  std::int64_t start(std::size_t d, std::int64_t position) const { return position * stride[d] - pad_begin[d]; }
};

Integers window_numbers(const OnnxNode& node, const char* name, std::size_t count, std::int64_t least) {
  const Integers numbers = node.integers(name, Integers(count, least));
  const bool fit = std::ranges::all_of(numbers, [=](std::int64_t v) { return v >= least && v <= 1 << 28; });
  require(fit && numbers.size() == count, std::string(name) + " is " + text_of(numbers));
  return numbers;
}

// Everything but `out` and automatic pads.
Window window_of(const OnnxNode& node, const Shape& kernel) {
  const Value& x = node.input(0);
  require(x.rank() >= 3, "an input of shape " + text_of(x.shape));
  const std::size_t rank = x.shape.size() - 2;
  const bool fits = std::ranges::all_of(kernel, [](std::int64_t v) { return v >= 1 && v <= 1 << 28; });
  require(fits && kernel.size() == rank, "a window of size " + text_of(kernel));
  const Integers pads = window_numbers(node, "pads", 2 * rank, 0);
  Window w{{x.shape.begin() + 2, x.shape.end()},
           {},
           kernel,
           window_numbers(node, "strides", rank, 1),
           window_numbers(node, "dilations", rank, 1),
           {pads.begin(), pads.end() - x.rank() + 2},
           {pads.end() - x.rank() + 2, pads.end()},
           node.text("auto_pad", ""),
           node.proto.op_type().ends_with("Pool")};
  if (w.auto_pad == "NOTSET") w.auto_pad.clear();
  if (w.auto_pad.empty()) return w;
  require(w.auto_pad == "VALID" || w.auto_pad == "SAME_UPPER" || w.auto_pad == "SAME_LOWER", "an unknown auto_pad");
  const bool has_pads =
      w.is_pooling ? std::ranges::count(pads, 0) < std::ssize(pads) : node.find("pads", Attribute::INTS) != nullptr;
  require(!has_pads, "pads beside auto_pad");
  return w;
}

// The pads of auto_pad SAME, as far as all run times agree on them.
void set_same_pads(Window& w, std::size_t d) {
  const std::int64_t out = (w.in[d] + w.stride[d] - 1) / w.stride[d];
  const std::int64_t total = (out - 1) * w.stride[d] + w.kernel[d] - w.in[d], pads = std::max<std::int64_t>(0, total);
  require(w.dilation[d] == 1 && total >= -1, "auto_pad does not say where this window lies");
  w.pad_begin[d] = w.auto_pad == "SAME_UPPER" ? pads / 2 : pads - pads / 2;
  w.pad_end[d] = pads - w.pad_begin[d];
}

Window forward_window(const OnnxNode& node, const Shape& kernel) {
  Window w = window_of(node, kernel);
  for (std::size_t d = 0; d < w.rank(); ++d) {
    if (w.auto_pad.starts_with("SAME")) set_same_pads(w, d);
    const std::int64_t room = w.in[d] + w.pad_begin[d] + w.pad_end[d] - w.extent(d);
    const bool pads_fit = !w.is_pooling || !w.auto_pad.empty() || std::max(w.pad_begin[d], w.pad_end[d]) < w.kernel[d];
    require(room >= 0 && pads_fit, "the window, or its padding, does not fit");
    std::int64_t out = room / w.stride[d] + 1;
    // With ceil_mode, a last window may reach beyond the padding, but must not start there.
    const bool is_cut = node.integer("ceil_mode", 0) != 0 && room % w.stride[d] != 0;
    if (is_cut && w.start(d, out) < w.in[d]) ++out;
    w.out.push_back(out);
  }
  return w;
}

Geometry geometry_of(const Window& w, std::int64_t in_channels, std::int64_t out_channels, std::int64_t groups) {
  require(w.rank() <= 2, "a window of three dimensions");
  const std::size_t last = w.rank() - 1;
  const auto first = [&](const Shape& s, std::int64_t otherwise) { return last == 1 ? s[0] : otherwise; };
  return {in_channels,           first(w.in, 1),       w.in[last],
          out_channels,          first(w.out, 1),      w.out[last],
          first(w.kernel, 1),    w.kernel[last],       first(w.stride, 1),
          w.stride[last],        first(w.dilation, 1), w.dilation[last],
          first(w.pad_begin, 0), w.pad_begin[last],    groups};
}

Shape with_channels(std::int64_t samples, std::int64_t channels, const Shape& spatial) {
  Shape shape{samples, channels};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  return shape;
}

// Convolutions work on single samples: applies one to each entry of the first dimension, and joins the results.
Value for_each_sample(Graph& graph, const Value& x, const Op& op, const Shape& shape) {
  Values results;
  for (std::int64_t s = 0; s < x.shape[0]; ++s) results.push_back(graph.add(op, {graph.pick(x, 0, {s})}, shape));
  require(!results.empty(), "a batch without samples");
  return graph.concatenate(results, 0);
}

// Checks what all convolutions have in common. Returns the size of the kernel.
Shape kernel_of(const OnnxNode& node, std::int64_t groups, std::int64_t channels) {
  const Value &x = node.input(0), &w = node.known_input(1);
  require(w.rank() == x.rank() && w.rank() >= 3, "weights of shape " + text_of(w.shape));
  const Shape kernel(w.shape.begin() + 2, w.shape.end());
  require(node.integers("kernel_shape", kernel) == kernel, "kernel_shape is not that of the weights");
  require(groups >= 1 && w.shape[0] % groups == 0, "the groups do not fit the weights");
  require(!node.has(2) || size_of(node.known_input(2).shape) == channels, "the biases do not fit the channels");
  return kernel;
}

Numbers bias_of(const OnnxNode& node) { return node.has(2) ? *node.input(2).numbers : Numbers{}; }

Values convolution(const OnnxNode& node) {
  const Value &x = node.input(0), &w = node.known_input(1);
  const std::int64_t groups = node.integer("group", 1), channels = w.shape.empty() ? 0 : w.shape[0];
  const Window window = forward_window(node, kernel_of(node, groups, channels));
  require(x.shape[1] % groups == 0 && w.shape[1] == x.shape[1] / groups, "the weights do not fit the input");
  const Convolution op{geometry_of(window, x.shape[1], channels, groups), *w.numbers, bias_of(node)};
  return {for_each_sample(node.graph, x, op, with_channels(1, channels, window.out))};
}

// The size of a transposed convolution's result, and what is cut off its beginning, by
// out = stride (in - 1) + output_padding + extent - pad_begin - pad_end.
void place_transposed(Window& w, std::size_t d, std::int64_t extra, const Integers& wanted) {
  const std::int64_t full = w.stride[d] * (w.in[d] - 1) + extra + w.extent(d);
  std::int64_t out = full - w.pad_begin[d] - w.pad_end[d], padding = extra;
  if (w.auto_pad.starts_with("SAME") || !wanted.empty()) {
    out = wanted.empty() ? w.in[d] * w.stride[d] : wanted[d];
    require(!wanted.empty() || out <= full, "auto_pad does not say where this window lies");
    padding = std::max(padding, extra + out - full);
    const std::int64_t total = std::max<std::int64_t>(0, full - out);
    w.pad_begin[d] = w.auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
  }
  require(padding < std::max(w.stride[d], w.dilation[d]), "output_padding is too large");
  require(out >= 1 && out <= 1 << 28, "a result of size " + std::to_string(out));
  w.out.push_back(out);
}

Values transposed_convolution(const OnnxNode& node) {
  const Value &x = node.input(0), &w = node.known_input(1);
  const std::int64_t groups = node.integer("group", 1), channels = size_of({w.rank() < 2 ? 0 : w.shape[1], groups});
  Window window = window_of(node, kernel_of(node, groups, channels));
  require(w.shape[0] == x.shape[1], "the weights do not fit the input");
  const Integers extra = window_numbers(node, "output_padding", window.rank(), 0);
  const Integers wanted = node.integers("output_shape", {});
  require(wanted.empty() || wanted.size() == window.rank(), "output_shape does not fit the input");
  for (std::size_t d = 0; d < window.rank(); ++d) place_transposed(window, d, extra[d], wanted);
  const Shape shape = with_channels(1, channels, window.out);
  std::swap(window.in, window.out);  // the convolution back from the result
  const Geometry geometry = geometry_of(window, channels, x.shape[1], groups);
  return {for_each_sample(node.graph, x, TransposedConvolution{geometry, *w.numbers, bias_of(node)}, shape)};
}

// Calls visit(position) for each position of the result in a plane, in row-major order.
void for_each_position(const Window& w, const std::function<void(const Shape&)>& visit) {
  Shape position(w.rank(), 0);
  for (std::int64_t count = size_of(w.out); count > 0; --count) {
    visit(position);
    for (std::size_t d = w.rank(); d-- > 0 && ++position[d] == w.out[d];) position[d] = 0;
  }
}

Values max_pool(const OnnxNode& node) {
  require(node.proto.output_size() == 1 || node.proto.output(1).empty(), "the indices are not supported");
  const Value& x = node.input(0);
  const Window w = forward_window(node, node.integers("kernel_shape", {}));
  const Shape shape = with_channels(x.shape[0], x.shape[1], w.out);
  const std::int64_t plane = size_of(w.in);
  node.graph.take(size_of({size_of(shape), size_of(w.kernel)}));
  const Steps strides = node.graph.steps_of(w.in);
  std::vector<Integers> windows;  // of the first plane: the positions that each covers, in row-major order
  for_each_position(w, [&](const Shape& position) {
    Steps steps(w.rank());
    for (std::size_t d = 0; d < w.rank(); ++d) {
      for (std::int64_t k = 0; k < w.kernel[d]; ++k) {
        const std::int64_t i = w.start(d, position[d]) + k * w.dilation[d];
        if (i >= 0 && i < w.in[d]) steps[d].push_back(strides[d][at(i)]);
      }
    }
    windows.push_back(node.graph.sources(steps));
    require(!windows.back().empty(), "a window contains only padding");
  });
  Maximum op{{0}, {}};
  for (std::int64_t p = 0; p < x.shape[0] * x.shape[1]; ++p) {
    for (const Integers& members : windows) {
      for (const std::int64_t m : members) op.members.push_back(static_cast<std::int32_t>(p * plane + m));
      op.offsets.push_back(std::ssize(op.members));
    }
  }
  return {node.graph.add(std::move(op), {x}, shape)};
}

// How many cells of the window count, along one dimension: those over the input, and over the padding if it counts.
std::int64_t counted(const OnnxNode& node, const Window& w, std::size_t d, std::int64_t position) {
  const bool counts_padding = node.integer("count_include_pad", 0) != 0;
  const std::int64_t begin = counts_padding ? w.pad_begin[d] : 0, end = w.in[d] + (counts_padding ? w.pad_end[d] : 0);
  // Run times disagree about cells beyond the padding before opset 19, and about automatic padding since.
  const bool is_open = node.opset < 19 ? w.start(d, w.out[d] - 1) + w.extent(d) > w.in[d] + w.pad_end[d]
                                       : w.pad_end[d] > 0 && !w.auto_pad.empty();
  require(!counts_padding || !is_open, "count_include_pad does not say what counts here");
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < w.kernel[d]; ++k) {
    const std::int64_t i = w.start(d, position) + k * w.dilation[d];
    count += i >= -begin && i < end ? 1 : 0;
  }
  return count;
}

// A convolution with ones in each channel, then a division by the number of cells.
Values average_pool(const OnnxNode& node) {
  const Value& x = node.input(0);
  const Window w = forward_window(node, node.integers("kernel_shape", {}));
  const std::int64_t channels = x.shape[1], weights = size_of({channels, size_of(w.kernel)});
  node.graph.take(weights + size_of({size_of(w.out), size_of(w.kernel)}));
  const Convolution op{
      geometry_of(w, channels, channels, channels), exactly(std::vector<double>(at(weights), 1.0)), {}};
  const Value sums = for_each_sample(node.graph, x, op, with_channels(1, channels, w.out));
  std::vector<Interval> shares;
  for_each_position(w, [&](const Shape& position) {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < w.rank(); ++d) count *= counted(node, w, d, position[d]);
    require(count > 0, "a window contains only padding");
    shares.push_back(Interval(1.0) / Interval(static_cast<double>(count)));
  });
  const Scale division{x.shape[0] * channels, size_of(w.out), 1, numbers_of(shares), {}};
  return {node.graph.add(division, {sums}, sums.shape)};
}

}  // namespace

Rules window_rules() {
  return {{"Conv", 2, 3, kAny, "auto_pad dilations group kernel_shape pads strides", convolution},
          {"ConvTranspose", 2, 3, kAny,
           "auto_pad dilations group kernel_shape output_padding output_shape pads strides", transposed_convolution},
          {"MaxPool", 1, 1, 1, "auto_pad ceil_mode dilations kernel_shape pads storage_order strides", max_pool},
          {"AveragePool", 1, 1, 1, "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides",
           average_pool}};
}

}  // namespace checker
