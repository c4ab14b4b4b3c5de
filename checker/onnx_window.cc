// Operations with a sliding window: convolutions, and poolings over windows.
#include <algorithm>
#include <functional>
#include <numeric>

#include "onnx_node.h"

namespace checker {
namespace {

// One entry per spatial dimension.
struct Window {
  Shape in, out, kernel, stride, dilation, pad_begin, pad_end;

  std::size_t rank() const { return in.size(); }
  std::int64_t extent(std::size_t d) const { return (kernel[d] - 1) * dilation[d] + 1; }
};

enum class AutoPad { kNone, kValid, kSameUpper, kSameLower };

bool is_pooling(const OnnxNode& node) { return node.proto.op_type().ends_with("Pool"); }

AutoPad auto_pad_of(const OnnxNode& node) {
  const std::string mode = node.text("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) return AutoPad::kNone;
  const Integers pads = node.integers("pads", {});
  const bool has_pads = node.find("pads", onnx::AttributeProto::INTS) != nullptr;
  if (has_pads && (!is_pooling(node) || std::ranges::any_of(pads, [](std::int64_t v) { return v != 0; }))) {
    throw BadFile("pads beside auto_pad");
  }
  if (mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER") throw BadFile("auto_pad '" + mode + "'");
  return mode == "VALID" ? AutoPad::kValid : mode == "SAME_UPPER" ? AutoPad::kSameUpper : AutoPad::kSameLower;
}

void check_numbers(const Integers& numbers, const char* what, std::size_t count, std::int64_t least) {
  const bool fit = std::ranges::all_of(numbers, [=](std::int64_t v) { return v >= least && v <= 1 << 28; });
  if (!fit || numbers.size() != count) throw BadFile(std::string("the ") + what + " are " + text_of(numbers));
}

// What all windows have in common: everything but `out` and automatic pads.
Window window_of(const OnnxNode& node, const Shape& kernel) {
  const Value& x = node.input(0);
  if (x.rank() < 3) throw BadFile("an input of shape " + text_of(x.shape));
  Window w{{x.shape.begin() + 2, x.shape.end()}, {}, kernel, {}, {}, {}, {}};
  const std::size_t rank = w.rank();
  w.stride = node.integers("strides", Integers(rank, 1));
  w.dilation = node.integers("dilations", Integers(rank, 1));
  const Integers pads =
      auto_pad_of(node) == AutoPad::kNone ? node.integers("pads", Integers(2 * rank, 0)) : Integers(2 * rank, 0);
  check_numbers(kernel, "sizes of the window", rank, 1);
  check_numbers(w.stride, "strides", rank, 1);
  check_numbers(w.dilation, "dilations", rank, 1);
  check_numbers(pads, "pads", 2 * rank, 0);
  w.pad_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  w.pad_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
  return w;
}

// The pads of auto_pad SAME, as far as all run times agree on them.
void set_same_pads(Window& w, std::size_t d, AutoPad mode) {
  const std::int64_t out = (w.in[d] + w.stride[d] - 1) / w.stride[d];
  const std::int64_t total = (out - 1) * w.stride[d] + w.kernel[d] - w.in[d], pads = std::max<std::int64_t>(0, total);
  if (w.dilation[d] != 1 || total < -1) throw BadFile("auto_pad SAME does not say where this window lies");
  w.pad_begin[d] = mode == AutoPad::kSameUpper ? pads / 2 : pads - pads / 2;
  w.pad_end[d] = pads - w.pad_begin[d];
}

Window forward_window(const OnnxNode& node, const Shape& kernel) {
  Window w = window_of(node, kernel);
  const AutoPad mode = auto_pad_of(node);
  for (std::size_t d = 0; d < w.rank(); ++d) {
    if (mode == AutoPad::kSameUpper || mode == AutoPad::kSameLower) set_same_pads(w, d, mode);
    const bool are_explicit = mode == AutoPad::kNone && is_pooling(node);
    const std::int64_t room = w.in[d] + w.pad_begin[d] + w.pad_end[d] - w.extent(d);
    if (room < 0 || (are_explicit && std::max(w.pad_begin[d], w.pad_end[d]) >= w.kernel[d])) {
      throw BadFile("the window, or its padding, does not fit");
    }
    std::int64_t out = room / w.stride[d] + 1;
    // With ceil_mode, a last window may reach beyond the padding, but must not start there.
    const bool is_cut = node.integer("ceil_mode", 0) != 0 && room % w.stride[d] != 0;
    if (is_cut && out * w.stride[d] < w.in[d] + w.pad_begin[d]) ++out;
    w.out.push_back(out);
  }
  return w;
}

Geometry geometry_of(const Window& w, std::int64_t in_channels, std::int64_t out_channels, std::int64_t groups) {
  const std::size_t last = w.rank() - 1;
  if (last > 1) throw BadFile("a window of three dimensions");
  const auto high = [&](const Shape& s, std::int64_t otherwise) { return last == 1 ? s[0] : otherwise; };
  return {in_channels,         high(w.in, 1),     w.in[last],           out_channels,      high(w.out, 1),
          w.out[last],         high(w.kernel, 1), w.kernel[last],       high(w.stride, 1), w.stride[last],
          high(w.dilation, 1), w.dilation[last],  high(w.pad_begin, 0), w.pad_begin[last], groups};
}

// Nodes work on single samples: applies `rule` to each entry of the first dimension, and joins the results.
Value for_each_sample(Graph& graph, const Value& x, const std::function<Value(const Value&)>& rule) {
  std::vector<Value> results;
  for (std::int64_t s = 0; s < x.shape[0]; ++s) results.push_back(rule(graph.pick(x, 0, {s})));
  if (results.empty()) throw BadFile("a batch without samples");
  return graph.concatenate(results, 0);
}

Shape with_channels(std::int64_t samples, std::int64_t channels, const Shape& spatial) {
  Shape shape{samples, channels};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  return shape;
}

// The kernel's size, from the weights; what they must fulfil for any convolution.
Shape kernel_of(const OnnxNode& node, std::int64_t out_channels, std::int64_t groups) {
  const Value &x = node.input(0), &w = node.input(1);
  if (!w.is_known() || (node.has(2) && !node.input(2).is_known())) throw BadFile("its weights are not real constants");
  if (w.rank() != x.rank() || w.rank() < 3) throw BadFile("weights of shape " + text_of(w.shape));
  const Shape kernel(w.shape.begin() + 2, w.shape.end());
  if (node.integers("kernel_shape", kernel) != kernel) throw BadFile("kernel_shape is not that of the weights");
  if (groups < 1 || w.shape[0] % groups != 0) throw BadFile(std::to_string(groups) + " groups do not fit the weights");
  if (node.has(2) && size_of(node.input(2).shape) != out_channels) throw BadFile("the biases do not fit the channels");
  return kernel;
}

std::vector<Value> convolution(OnnxNode& node) {
  const Value &x = node.input(0), &w = node.input(1);
  const std::int64_t groups = node.integer("group", 1), channels = w.shape.empty() ? 0 : w.shape[0];
  const Window window = forward_window(node, kernel_of(node, channels, groups));
  if (x.shape[1] % groups != 0 || w.shape[1] != x.shape[1] / groups) throw BadFile("the weights do not fit the input");
  const Convolution op{geometry_of(window, x.shape[1], channels, groups), w.numbers(),
                       node.has(2) ? node.input(2).numbers() : Numbers{}};
  return {for_each_sample(node.graph, x, [&](const Value& sample) {
    return node.graph.add(op, {sample}, with_channels(1, channels, window.out));
  })};
}

// The size of a transposed convolution's result, and what is cut off its beginning, by
// out = stride (in - 1) + output_padding + extent - pad_begin - pad_end.
void place_transposed(const OnnxNode& node, Window& w, std::size_t d, const Integers& extra, const Integers& wanted) {
  const AutoPad mode = auto_pad_of(node);
  const bool is_same = mode == AutoPad::kSameUpper || mode == AutoPad::kSameLower;
  const std::int64_t full = w.stride[d] * (w.in[d] - 1) + extra[d] + w.extent(d);
  std::int64_t out = full - w.pad_begin[d] - w.pad_end[d], padding = extra[d];
  if (is_same || !wanted.empty()) {
    out = wanted.empty() ? w.in[d] * w.stride[d] : wanted[d];
    if (wanted.empty() && out > full) throw BadFile("auto_pad SAME does not say where this window lies");
    padding = std::max(padding, extra[d] + out - full);
    const std::int64_t total = std::max<std::int64_t>(0, full - out);
    w.pad_begin[d] = mode == AutoPad::kSameUpper ? total / 2 : total - total / 2;
  }
  if (padding >= std::max(w.stride[d], w.dilation[d])) throw BadFile("output_padding is too large");
  if (out < 1 || out > 1 << 28) throw BadFile("a result of size " + std::to_string(out));
  w.out.push_back(out);
}

std::vector<Value> transposed_convolution(OnnxNode& node) {
  const Value &x = node.input(0), &w = node.input(1);
  const std::int64_t groups = node.integer("group", 1);
  const std::int64_t group_channels = w.rank() < 2 ? 0 : w.shape[1];
  if (groups < 1 || groups > 1 << 28) throw BadFile(std::to_string(groups) + " groups");
  const std::int64_t channels = size_of({group_channels, groups});
  Window window = window_of(node, kernel_of(node, channels, groups));
  if (w.shape[0] != x.shape[1]) throw BadFile("the weights do not fit the input");
  const Integers extra = node.integers("output_padding", Integers(window.rank(), 0));
  const Integers wanted = node.integers("output_shape", {});
  check_numbers(extra, "output_padding", window.rank(), 0);
  if (!wanted.empty()) check_numbers(wanted, "output_shape", window.rank(), 1);
  for (std::size_t d = 0; d < window.rank(); ++d) place_transposed(node, window, d, extra, wanted);
  const Shape shape = with_channels(1, channels, window.out);
  std::swap(window.in, window.out);  // the convolution back from the result
  const TransposedConvolution op{geometry_of(window, channels, x.shape[1], groups), w.numbers(),
                                 node.has(2) ? node.input(2).numbers() : Numbers{}};
  return {for_each_sample(node.graph, x, [&](const Value& sample) { return node.graph.add(op, {sample}, shape); })};
}

// Calls visit(position) for each position of the result in a plane, in row-major order.
void for_each_position(const Window& w, const std::function<void(const Shape&)>& visit) {
  Shape position(w.rank(), 0);
  for (std::int64_t count = size_of(w.out); count > 0; --count) {
    visit(position);
    for (std::size_t d = w.rank(); d-- > 0 && ++position[d] == w.out[d];) position[d] = 0;
  }
}

std::vector<Value> max_pool(OnnxNode& node) {
  if (node.proto.output_size() > 1 && !node.proto.output(1).empty()) throw BadFile("the indices are not supported");
  const Value& x = node.input(0);
  const Window w = forward_window(node, node.integers("kernel_shape", {}));
  const std::int64_t planes = x.shape[0] * x.shape[1], plane = size_of(w.in), cells = size_of(w.kernel);
  const Shape shape = with_channels(x.shape[0], x.shape[1], w.out);
  node.graph.take(size_of({size_of(shape), cells}));
  std::vector<Integers> windows;  // of the first plane: the positions that each covers, in row-major order
  for_each_position(w, [&](const Shape& position) {
    Steps steps;
    std::int64_t stride = plane;
    for (std::size_t d = 0; d < w.rank(); ++d) {
      stride /= w.in[d];
      Integers& along = steps.emplace_back();
      for (std::int64_t k = 0; k < w.kernel[d]; ++k) {
        const std::int64_t i = position[d] * w.stride[d] - w.pad_begin[d] + k * w.dilation[d];
        if (i >= 0 && i < w.in[d]) along.push_back(i * stride);
      }
    }
    windows.push_back(node.graph.sources(steps));
    if (windows.back().empty()) throw BadFile("a window contains only padding");
  });
  Maximum op{{0}, {}};
  for (std::int64_t p = 0; p < planes; ++p) {
    for (const Integers& members : windows) {
      for (const std::int64_t m : members) op.members.push_back(static_cast<std::int32_t>(p * plane + m));
      op.offsets.push_back(static_cast<std::int64_t>(op.members.size()));
    }
  }
  return {node.graph.add(std::move(op), {x}, shape)};
}

// How many cells of the window count, along one dimension: those over the input, and over the padding if it counts.
std::int64_t counted(const OnnxNode& node, const Window& w, std::size_t d, std::int64_t position) {
  const bool counts_padding = node.integer("count_include_pad", 0) != 0;
  const std::int64_t begin = counts_padding ? w.pad_begin[d] : 0, end = w.in[d] + (counts_padding ? w.pad_end[d] : 0);
  const std::int64_t last = (w.out[d] - 1) * w.stride[d] + w.extent(d) - w.pad_begin[d];
  // Run times disagree about cells beyond the padding before opset 19, and about automatic padding since.
  if (counts_padding &&
      (node.opset < 19 ? last > w.in[d] + w.pad_end[d] : w.pad_end[d] > 0 && auto_pad_of(node) != AutoPad::kNone)) {
    throw BadFile("count_include_pad does not say what counts here");
  }
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < w.kernel[d]; ++k) {
    const std::int64_t i = position * w.stride[d] - w.pad_begin[d] + k * w.dilation[d];
    count += i >= -begin && i < end ? 1 : 0;
  }
  return count;
}

// A convolution with ones in each channel, then a division by the number of cells.
std::vector<Value> average_pool(OnnxNode& node) {
  const Value& x = node.input(0);
  const Window w = forward_window(node, node.integers("kernel_shape", {}));
  const std::int64_t channels = x.shape[1], cells = size_of(w.kernel);
  node.graph.take(size_of({size_of(w.out), cells}));
  node.graph.take(size_of({channels, cells}));
  Convolution op{geometry_of(w, channels, channels, channels), {}, {}};
  op.weight.low.assign(static_cast<std::size_t>(channels * cells), 1.0);
  const Value sums = for_each_sample(node.graph, x, [&](const Value& sample) {
    return node.graph.add(op, {sample}, with_channels(1, channels, w.out));
  });
  std::vector<Interval> shares;
  for_each_position(w, [&](const Shape& position) {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < w.rank(); ++d) count *= counted(node, w, d, position[d]);
    if (count == 0) throw BadFile("a window contains only padding");
    shares.push_back(Interval(1.0) / Interval(static_cast<double>(count)));
  });
  const Scale division{x.shape[0] * channels, size_of(w.out), 1, numbers_of(shares), {}};
  return {node.graph.add(division, {sums}, sums.shape)};
}

}  // namespace

Rules window_rules() {
  return {
      {"Conv", convolution, 2, 3, "auto_pad dilations group kernel_shape pads strides"},
      {"ConvTranspose", transposed_convolution, 2, 3,
       "auto_pad dilations group kernel_shape output_padding output_shape pads strides"},
      {"MaxPool", max_pool, 1, 1, "auto_pad ceil_mode dilations kernel_shape pads storage_order strides"},
      {"AveragePool", average_pool, 1, 1, "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides"}};
}

}  // namespace checker
