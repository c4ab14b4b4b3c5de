#include "onnx/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace plumb::onnx {
namespace {

constexpr const char* kGivePads = "give explicit pads and leave out auto_pad";

bool is_pooling(const OnnxNode& node) { return node.op().ends_with("Pool"); }

void set_explicit_pads(const OnnxNode& node, Window& window) {
  const std::size_t rank = window.rank();
  const auto pads = window_attribute(node, "pads", 2 * rank, 0, 0);
  window.pad_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  window.pad_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
  for (std::size_t d = 0; d < rank && is_pooling(node); ++d) {
    if (std::max(window.pad_begin[d], window.pad_end[d]) < window.kernel[d]) continue;
    throw DataError("",
                    fmt::format("pads of {} and {} for a window of size {}", window.pad_begin[d], window.pad_end[d],
                                window.kernel[d]),
                    "pads of a pooling must be smaller than its window: pad with a Pad node");
  }
}

void set_same_pads(AutoPad mode, Window& window) {
  for (std::size_t d = 0; d < window.rank(); ++d) {
    if (window.dilation[d] != 1) {
      throw DataError("", fmt::format("dilations {} with auto_pad SAME", tensor::to_string(window.dilation)),
                      kGivePads);
    }
    const std::int64_t out = (window.in[d] + window.stride[d] - 1) / window.stride[d];
    const std::int64_t total = (out - 1) * window.stride[d] + window.kernel[d] - window.in[d];
    // If total is negative, the windows skip -total elements of the input. A single skipped element is the last one.
    // Which elements are skipped if there are more depends on the runtime and on the operation.
    if (total < -1) {
      throw DataError("",
                      fmt::format("auto_pad SAME with a window of size {} and stride {} over {} elements",
                                  window.kernel[d], window.stride[d], window.in[d]),
                      fmt::format("the position of the window is not defined: {}", kGivePads));
    }
    const std::int64_t pads = std::max<std::int64_t>(0, total), smaller = pads / 2;
    window.pad_begin[d] = mode == AutoPad::kSameUpper ? smaller : pads - smaller;
    window.pad_end[d] = pads - window.pad_begin[d];
  }
}

void set_pads(const OnnxNode& node, Window& window) {
  const AutoPad mode = read_auto_pad(node);
  window.pad_begin.assign(window.rank(), 0);
  window.pad_end.assign(window.rank(), 0);
  if (mode == AutoPad::kNone) set_explicit_pads(node, window);
  if (mode == AutoPad::kSameUpper || mode == AutoPad::kSameLower) set_same_pads(mode, window);
}

}  // namespace

AutoPad read_auto_pad(const OnnxNode& node) {
  const std::string mode = node.text("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) return AutoPad::kNone;
  if (mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    throw DataError("", fmt::format("auto_pad '{}' is not one of NOTSET, VALID, SAME_UPPER, SAME_LOWER", mode));
  }
  // ONNX Runtime accepts pads beside auto_pad only in poolings, and only if all of them are zero.
  const auto pads = node.integers("pads", {});
  const bool all_zero = std::all_of(pads.begin(), pads.end(), [](std::int64_t v) { return v == 0; });
  if (node.has_attribute("pads") && !(is_pooling(node) && all_zero)) {
    throw DataError("", fmt::format("pads cannot be combined with auto_pad {}", mode), "leave out one of them");
  }
  return mode == "VALID" ? AutoPad::kValid : mode == "SAME_UPPER" ? AutoPad::kSameUpper : AutoPad::kSameLower;
}

std::vector<std::int64_t> window_attribute(const OnnxNode& node, const char* name, std::size_t count,
                                           std::int64_t otherwise, std::int64_t least) {
  std::vector<std::int64_t> values = node.integers(name, std::vector<std::int64_t>(count, otherwise));
  if (values.size() != count) {
    throw DataError("", fmt::format("{} has {} numbers, but {} are needed", name, values.size(), count));
  }
  for (const std::int64_t v : values) {
    if (v < least || v > tensor::kMaxElements)
      throw DataError("", fmt::format("{} has the invalid number {}", name, v));
  }
  return values;
}

Window read_window(const OnnxNode& node, const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& kernel) {
  const std::size_t rank = in.size();
  if (kernel.size() != rank) {
    throw DataError("", fmt::format("a window of {} dimensions over an input of {}", kernel.size(), rank));
  }
  for (const std::int64_t k : kernel) {
    if (k < 1 || k > tensor::kMaxElements)
      throw DataError("", fmt::format("a window of size {}", tensor::to_string(kernel)));
  }
  Window window{
      in, {}, kernel, window_attribute(node, "strides", rank, 1, 1), window_attribute(node, "dilations", rank, 1, 1),
      {}, {}};
  set_pads(node, window);
  const bool round_up = node.integer("ceil_mode", 0) != 0;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t extent = (kernel[d] - 1) * window.dilation[d] + 1;
    const std::int64_t room = in[d] + window.pad_begin[d] + window.pad_end[d] - extent;
    if (room < 0) {
      throw DataError("", fmt::format("a window of size {} does not fit an input of size {} with padding {} and {}",
                                      extent, in[d], window.pad_begin[d], window.pad_end[d]));
    }
    std::int64_t out = room / window.stride[d] + 1;
    // A window that would start beyond the end of the input is left out.
    if (round_up && room % window.stride[d] != 0 && out * window.stride[d] < in[d] + window.pad_begin[d]) ++out;
    window.out.push_back(out);
  }
  return window;
}

tensor::ConvolutionGeometry geometry_of(const Graph& graph, const Window& window, std::int64_t in_channels,
                                        std::int64_t out_channels, std::int64_t groups) {
  tensor::ConvolutionGeometry g;
  g.in_channels = in_channels;
  g.out_channels = out_channels;
  g.groups = groups;
  const std::size_t last = window.rank() - 1;
  g.in_width = window.in[last];
  g.out_width = window.out[last];
  g.kernel_width = window.kernel[last];
  g.stride_width = window.stride[last];
  g.dilation_width = window.dilation[last];
  g.pad_left = window.pad_begin[last];
  if (window.rank() == 2) {
    g.in_height = window.in[0];
    g.out_height = window.out[0];
    g.kernel_height = window.kernel[0];
    g.stride_height = window.stride[0];
    g.dilation_height = window.dilation[0];
    g.pad_top = window.pad_begin[0];
  }
  g.check_work(graph.max_elements());
  return g;
}

std::vector<std::int64_t> spatial_shape(const Value& value) {
  if (value.rank() < 3) {
    throw DataError("", fmt::format("an input of shape {}, but batch, channels and spatial dimensions are needed",
                                    tensor::to_string(value.shape)));
  }
  return {value.shape.begin() + 2, value.shape.end()};
}

Value for_each_sample(Graph& graph, const Value& value, const std::function<Value(const Value&)>& rule) {
  const std::int64_t samples = value.shape[0];
  if (samples == 1) return rule(value);
  if (samples < 1) throw DataError("", "a batch without samples");
  tensor::Shape single = value.shape;
  single[0] = 1;
  const std::int64_t size = graph.size_of(single);
  std::vector<Value> results;
  for (std::int64_t s = 0; s < samples; ++s) {
    std::vector<std::int64_t> table(static_cast<std::size_t>(size));
    std::iota(table.begin(), table.end(), s * size);
    results.push_back(rule(graph.select(value, table, single)));
  }
  tensor::Shape joined = results[0].shape;
  joined[0] = samples;
  std::vector<std::int64_t> table(static_cast<std::size_t>(graph.size_of(joined)));
  std::iota(table.begin(), table.end(), 0);
  return graph.select(results, table, joined);
}

}  // namespace plumb::onnx
