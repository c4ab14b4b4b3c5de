#include "tensor/convolution.h"

#include <algorithm>

#include "tensor/matrix_product.h"

namespace plumb {
namespace {

// The outputs along one dimension whose window position `offset` falls inside the input: [first, last).
struct Range {
  std::int64_t first, last;
};

Range inside(std::int64_t offset, std::int64_t stride, std::int64_t in_size, std::int64_t out_size) {
  // 0 <= out * stride + offset < in_size
  const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const std::int64_t last = offset >= in_size ? 0 : (in_size - 1 - offset) / stride + 1;
  return {std::min(first, out_size), std::clamp(last, std::min(first, out_size), out_size)};
}

// Calls visit(row of the unfolded matrix, out_y, in_row, x range, x offset) for every line of every window
// position of one group; out lines that lie outside the input are reported with in_row == nullptr.
template <class Pointer, class Visit>
void for_each_line(const ConvolutionGeometry& g, Pointer group_in, Visit visit) {
  std::int64_t row = 0;
  for (std::int64_t c = 0; c < g.in_per_group(); ++c) {
    Pointer channel = group_in + c * g.in_height * g.in_width;
    for (std::int64_t ky = 0; ky < g.kernel_height; ++ky) {
      for (std::int64_t kx = 0; kx < g.kernel_width; ++kx, ++row) {
        const std::int64_t offset_x = kx * g.dilation_width - g.pad_left;
        const Range xs = inside(offset_x, g.stride_width, g.in_width, g.out_width);
        for (std::int64_t y = 0; y < g.out_height; ++y) {
          const std::int64_t in_y = y * g.stride_height + ky * g.dilation_height - g.pad_top;
          const bool outside = in_y < 0 || in_y >= g.in_height;
          visit(row, y, outside ? nullptr : channel + in_y * g.in_width, xs, offset_x);
        }
      }
    }
  }
}

// columns[window x positions]: row w holds, for every output position, the input that window element w sees.
template <class Real>
void unfold(const ConvolutionGeometry& g, const Real* group_in, Real* columns) {
  for_each_line(g, group_in,
                [&](std::int64_t row, std::int64_t y, const Real* in, Range xs, std::int64_t offset) {
                  Real* line = columns + (row * g.out_height + y) * g.out_width;
                  if (in == nullptr) {
                    std::fill(line, line + g.out_width, Real(0));
                    return;
                  }
                  std::fill(line, line + xs.first, Real(0));
                  if (g.stride_width == 1) {
                    std::copy(in + xs.first + offset, in + xs.last + offset, line + xs.first);
                  } else {
                    for (std::int64_t x = xs.first; x < xs.last; ++x)
                      line[x] = in[x * g.stride_width + offset];
                  }
                  std::fill(line + xs.last, line + g.out_width, Real(0));
                });
}

// The transpose of unfold: adds every column entry back to the input that it came from.
template <class Real>
void fold_add(const ConvolutionGeometry& g, const Real* columns, Real* group_in) {
  for_each_line(g, group_in, [&](std::int64_t row, std::int64_t y, Real* in, Range xs, std::int64_t offset) {
    if (in == nullptr) return;
    const Real* line = columns + (row * g.out_height + y) * g.out_width;
    for (std::int64_t x = xs.first; x < xs.last; ++x) in[x * g.stride_width + offset] += line[x];
  });
}

}  // namespace

bool ConvolutionGeometry::is_pointwise() const {
  return kernel_height == 1 && kernel_width == 1 && stride_height == 1 && stride_width == 1 && pad_top == 0 &&
         pad_left == 0 && in_height == out_height && in_width == out_width;
}

bool ConvolutionGeometry::has_padding() const {
  const auto last = [](std::int64_t out, std::int64_t stride, std::int64_t kernel, std::int64_t dilation,
                       std::int64_t pad) { return (out - 1) * stride + (kernel - 1) * dilation - pad; };
  return pad_top > 0 || pad_left > 0 ||
         last(out_height, stride_height, kernel_height, dilation_height, pad_top) >= in_height ||
         last(out_width, stride_width, kernel_width, dilation_width, pad_left) >= in_width;
}

template <class Real>
void convolve(const ConvolutionGeometry& g, const Real* weight, const Real* in, Real* out,
              ConvolutionWorkspace<Real>& workspace) {
  const std::int64_t positions = g.out_positions();
  if (!g.is_pointwise()) workspace.resize(static_cast<std::size_t>(g.window() * positions));
  for (std::int64_t group = 0; group < g.groups; ++group) {
    const Real* group_in = in + group * g.in_per_group() * g.in_height * g.in_width;
    const Real* columns = group_in;
    if (!g.is_pointwise()) {
      unfold(g, group_in, workspace.data());
      columns = workspace.data();
    }
    matrix_product(Transposed::kNo, Transposed::kNo, g.out_per_group(), positions, g.window(),
                   weight + group * g.out_per_group() * g.window(), columns, Real(0),
                   out + group * g.out_per_group() * positions);
  }
}

template <class Real>
void convolve_transposed(const ConvolutionGeometry& g, const Real* weight, const Real* out, Real* in,
                         ConvolutionWorkspace<Real>& workspace) {
  const std::int64_t positions = g.out_positions();
  if (!g.is_pointwise()) workspace.resize(static_cast<std::size_t>(g.window() * positions));
  for (std::int64_t group = 0; group < g.groups; ++group) {
    Real* group_in = in + group * g.in_per_group() * g.in_height * g.in_width;
    Real* columns = g.is_pointwise() ? group_in : workspace.data();
    matrix_product(Transposed::kYes, Transposed::kNo, g.window(), positions, g.out_per_group(),
                   weight + group * g.out_per_group() * g.window(),
                   out + group * g.out_per_group() * positions, g.is_pointwise() ? Real(1) : Real(0),
                   columns);
    if (!g.is_pointwise()) fold_add(g, columns, group_in);
  }
}

template void convolve(const ConvolutionGeometry&, const float*, const float*, float*,
                       ConvolutionWorkspace<float>&);
template void convolve(const ConvolutionGeometry&, const double*, const double*, double*,
                       ConvolutionWorkspace<double>&);
template void convolve_transposed(const ConvolutionGeometry&, const float*, const float*, float*,
                                  ConvolutionWorkspace<float>&);
template void convolve_transposed(const ConvolutionGeometry&, const double*, const double*, double*,
                                  ConvolutionWorkspace<double>&);

}  // namespace plumb
