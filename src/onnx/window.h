// window.h: the sliding window of convolutions and poolings, with ONNX's ways of saying how it moves.
#pragma once

#include <vector>

#include "onnx/node.h"

namespace plumb::onnx {

// One entry a spatial dimension.
struct Window {
  std::vector<std::int64_t> in, out, kernel, stride, dilation, pad_begin, pad_end;

  std::size_t rank() const { return in.size(); }
};

// `count` numbers of an attribute, none below `least`; all are `otherwise` where the attribute is absent.
std::vector<std::int64_t> window_attribute(const OnnxNode& node, const char* name, std::size_t count,
                                           std::int64_t otherwise, std::int64_t least);

enum class AutoPad { kNone, kValid, kSameUpper, kSameLower };
// Reads auto_pad. Throws DataError if it is unknown, or if there are pads beside it.
AutoPad read_auto_pad(const OnnxNode& node);

// Reads strides, dilations, pads, auto_pad and ceil_mode for a window of size `kernel` over the spatial size
// `in`. Throws DataError if a number makes no sense, the window does not fit, or runtimes do not agree on its place.
Window read_window(const OnnxNode& node, const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& kernel);

// The window as a convolution; one-dimensional windows have height 1. It must not have more than two
// dimensions.
tensor::ConvolutionGeometry geometry_of(const Graph& graph, const Window& window, std::int64_t in_channels,
                                        std::int64_t out_channels, std::int64_t groups);

// The spatial dimensions of an N x C x ... value. Throws DataError if there are none.
std::vector<std::int64_t> spatial_shape(const Value& value);

// Applies `rule` to each entry of the first dimension and joins the results along it: operations work on
// single samples. The rule gets and returns values whose first dimension is 1.
Value for_each_sample(Graph& graph, const Value& value, const std::function<Value(const Value&)>& rule);

}  // namespace plumb::onnx
