// window.h: the sliding window of convolutions and poolings, read from the attributes that ONNX has for it.
#pragma once

#include <vector>

#include "onnx/node.h"

namespace plumb::onnx {

// One entry per spatial dimension.
struct Window {
  std::vector<std::int64_t> in, out, kernel, stride, dilation, pad_begin, pad_end;

  std::size_t rank() const { return in.size(); }
};

// Reads an attribute of `count` numbers; all are `otherwise` if the attribute is absent. Throws DataError if there are
// more or fewer, or if one is below `least` or too large.
std::vector<std::int64_t> window_attribute(const OnnxNode& node, const char* name, std::size_t count,
                                           std::int64_t otherwise, std::int64_t least);

enum class AutoPad { kNone, kValid, kSameUpper, kSameLower };
// Reads auto_pad. Throws DataError if it is unknown, or if pads are given as well.
AutoPad read_auto_pad(const OnnxNode& node);

// Reads strides, dilations, pads, auto_pad and ceil_mode for a window of size `kernel` over the spatial size `in`.
// Throws DataError if a number makes no sense, if the window does not fit, or if runtimes do not agree on where it
// lies.
Window read_window(const OnnxNode& node, const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& kernel);

// The window as a convolution. It must not have more than two dimensions; a one-dimensional window has height 1.
tensor::ConvolutionGeometry geometry_of(const Graph& graph, const Window& window, std::int64_t in_channels,
                                        std::int64_t out_channels, std::int64_t groups);

// The spatial dimensions of an N x C x ... value. Throws DataError if there are none.
std::vector<std::int64_t> spatial_shape(const Value& value);

// Applies `rule` to each sample, that is, to each entry of the first dimension, and joins the results along this
// dimension: operations work on single samples. The rule takes and returns values whose first dimension is 1.
Value for_each_sample(Graph& graph, const Value& value, const std::function<Value(const Value&)>& rule);

}  // namespace plumb::onnx
