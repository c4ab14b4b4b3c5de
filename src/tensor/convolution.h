// convolution.h: two-dimensional convolution as a linear map, and its transpose.
//
// Tensors are channels x height x width, row-major. Weights are out_channels x (in_channels / groups) x kernel height x
// kernel width, as in ONNX. One-dimensional convolutions have height 1. Padding consists of zeros; how much there is at
// the bottom and on the right follows from the output's size.
//
// The transpose maps tensors of the output's shape to tensors of the input's shape. It computes the gradient of the
// convolution, and ONNX's ConvTranspose.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/shape.h"

namespace plumb::tensor {

struct ConvolutionGeometry {
  std::int64_t in_channels = 1, in_height = 1, in_width = 1;
  std::int64_t out_channels = 1, out_height = 1, out_width = 1;
  std::int64_t kernel_height = 1, kernel_width = 1;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t dilation_height = 1, dilation_width = 1;
  std::int64_t pad_top = 0, pad_left = 0;
  std::int64_t groups = 1;

  std::int64_t in_size() const { return in_channels * in_height * in_width; }
  std::int64_t out_size() const { return out_channels * out_height * out_width; }
  std::int64_t out_positions() const { return out_height * out_width; }
  std::int64_t in_per_group() const { return in_channels / groups; }
  std::int64_t out_per_group() const { return out_channels / groups; }
  // The number of inputs that one output sees, which is the length of its row of weights.
  std::int64_t window() const { return in_per_group() * kernel_height * kernel_width; }
  std::int64_t weight_count() const { return out_channels * window(); }
  // The size of one channel with the padding that windows reach.
  std::int64_t padded_height() const;
  std::int64_t padded_width() const;
  // Throws DataError if the padded planes or the unfolded windows of one group, which convolve() and its transpose keep
  // in memory, have more than `limit` elements.
  void check_work(std::int64_t limit) const;
  // True for a 1x1 kernel with stride 1 and no padding: it reads the input in place, without unfolding.
  bool is_pointwise() const;
  // True if some output sees padding.
  bool has_padding() const;

  bool operator==(const ConvolutionGeometry&) const = default;
};

// Space for one sample's padded input, its unfolded windows and the result before it is transposed. It grows as needed
// and is reused between calls.
template <class Real>
struct ConvolutionWorkspace {
  std::vector<Real> padded, windows, results;
};

// The weights as convolve() expects them: each group's matrix is transposed.
template <class Real>
std::vector<Real> transposed_weights(const ConvolutionGeometry& geometry, const std::vector<Real>& weight);

// out = W * in (out is overwritten), given transposed_weights(W).
template <class Real>
void convolve(const ConvolutionGeometry& geometry, const Real* transposed_weight, const Real* in, Real* out,
              ConvolutionWorkspace<Real>& workspace);

// in += W^T * out, given W.
template <class Real>
void convolve_transposed(const ConvolutionGeometry& geometry, const Real* weight, const Real* out, Real* in,
                         ConvolutionWorkspace<Real>& workspace);

}  // namespace plumb::tensor
