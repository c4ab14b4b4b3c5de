// Operations with a sliding window: convolutions, and poolings over windows.
#include <algorithm>

#include "onnx_node.h"
#include "windows.h"

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

Shape with_channels(const Window& w, std::int64_t samples, std::int64_t channels) {
  Shape shape{samples, channels};
  shape.insert(shape.end(), w.out.begin(), w.out.end());
  return shape;
}

std::vector<Taps> taps_of(Graph& graph, const Window& w, const Along& along) {
  graph.take(size_of({size_of(w.out), size_of(w.kernel)}));
  return checker::taps_of(w.in, w.out, w.kernel, along);
}

std::vector<Taps> forward_taps(Graph& graph, const Window& w) {
  return taps_of(graph, w, [&](std::size_t d, std::int64_t position, std::int64_t k) {
    return w.start(d, position) + k * w.dilation[d];
  });
}

Windows windows_of(const OnnxNode& node, const Window& w, std::vector<Taps> taps, std::int64_t channels,
                   std::int64_t groups) {
  require(w.rank() <= 2, "a window of three dimensions");
  const Shape& x = node.input(0).shape;
  const auto take = [&](std::int64_t runs) { node.graph.take(runs); };
  return {std::move(taps), size_of(w.in), size_of(w.kernel), x[0], x[1], channels, groups, take};
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

Numbers biases_of(const OnnxNode& node) { return node.has(2) ? *node.input(2).numbers : Numbers{}; }

Values convolution(const OnnxNode& node) {
  const Value &x = node.input(0), &w = node.known_input(1);
  const std::int64_t groups = node.integer("group", 1), channels = w.shape.empty() ? 0 : w.shape[0];
  const Window window = forward_window(node, kernel_of(node, groups, channels));
  require(x.shape[1] % groups == 0 && w.shape[1] == x.shape[1] / groups, "the weights do not fit the input");
  const Windows windows = windows_of(node, window, forward_taps(node.graph, window), channels, groups);
  return {node.graph.add(convolution(windows, *w.numbers, biases_of(node)), {x},
                         with_channels(window, x.shape[0], channels))};
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

// Position p of the result reads i with entry k of the kernel if the window of i, in the result, has p at k.
Values transposed_convolution(const OnnxNode& node) {
  const Value &x = node.input(0), &w = node.known_input(1);
  const std::int64_t groups = node.integer("group", 1), channels = size_of({w.rank() < 2 ? 0 : w.shape[1], groups});
  Window window = window_of(node, kernel_of(node, groups, channels));
  require(w.shape[0] == x.shape[1], "the weights do not fit the input");
  const Integers extra = window_numbers(node, "output_padding", window.rank(), 0);
  const Integers wanted = node.integers("output_shape", {});
  require(wanted.empty() || wanted.size() == window.rank(), "output_shape does not fit the input");
  for (std::size_t d = 0; d < window.rank(); ++d) place_transposed(window, d, extra[d], wanted);
  const auto taps = taps_of(node.graph, window, [&](std::size_t d, std::int64_t position, std::int64_t k) {
    const std::int64_t scaled = position + window.pad_begin[d] - k * window.dilation[d];
    return scaled % window.stride[d] == 0 ? scaled / window.stride[d] : -1;
  });
  const Windows windows = windows_of(node, window, taps, channels, groups);
  return {node.graph.add(transposed_convolution(windows, *w.numbers, biases_of(node)), {x},
                         with_channels(window, x.shape[0], channels))};
}

Values max_pool(const OnnxNode& node) {
  require(node.proto.output_size() == 1 || node.proto.output(1).empty(), "the indices are not supported");
  const Value& x = node.input(0);
  const Window w = forward_window(node, node.integers("kernel_shape", {}));
  const Shape shape = with_channels(w, x.shape[0], x.shape[1]);
  node.graph.take(size_of({size_of(shape), size_of(w.kernel)}));
  const std::vector<Taps> windows = forward_taps(node.graph, w);
  Maximum op{{0}, {}};
  for (std::int64_t plane = 0; plane < x.shape[0] * x.shape[1]; ++plane) {
    for (const Taps& taps : windows) {
      require(!taps.empty(), "a window contains only padding");
      for (const Tap& tap : taps) op.members.push_back(int(plane * size_of(w.in) + tap.element));
      op.offsets.push_back(std::ssize(op.members));
    }
  }
  return {node.graph.add(std::move(op), {x}, shape)};
}

// All that a position reads has the weight 1 / (the number of cells that count): those over the input, and over the
// padding if it counts.
Values average_pool(const OnnxNode& node) {
  const Window w = forward_window(node, node.integers("kernel_shape", {}));
  Window counted = w;
  for (std::size_t d = 0; d < w.rank() && node.integer("count_include_pad", 0) != 0; ++d) {
    counted.in[d] += w.pad_begin[d] + w.pad_end[d];
    counted.pad_begin[d] = 0;
    // Run times disagree about cells beyond the padding before opset 19, and about automatic padding since.
    const bool is_open = node.opset < 19 ? counted.start(d, w.out[d] - 1) + w.extent(d) > counted.in[d]
                                         : w.pad_end[d] > 0 && !w.auto_pad.empty();
    require(!is_open, "count_include_pad does not say what counts here");
  }
  std::vector<Taps> windows = forward_taps(node.graph, w);
  std::vector<Interval> shares;
  for (const Taps& cells : forward_taps(node.graph, counted)) {
    require(!cells.empty(), "a window contains only padding");
    shares.push_back(Interval(1.0) / Interval(static_cast<double>(cells.size())));
  }
  for (Taps& taps : windows) {
    for (Tap& tap : taps) tap.weight = 0;
  }
  const Value& x = node.input(0);
  const Windows all = windows_of(node, w, std::move(windows), x.shape[1], x.shape[1]);
  const auto weight_of = [](std::int64_t, std::int64_t position) { return position; };
  return {
      node.graph.add(map_of(all, 0, weight_of, numbers_of(shares), {}), {x}, with_channels(w, x.shape[0], x.shape[1]))};
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
