#include "tensor/convolution.h"

#include <algorithm>
#include <cstring>

#include "tensor/matrix_product.h"

namespace plumb::tensor {
namespace {

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

// Calls visit(line of the input, the same line inside the padded planes) for every line of a group's channels.
template <class Pointer, class Padded, class Visit>
void for_each_padded_line(const ConvolutionGeometry& g, Pointer group_in, Padded padded, Visit visit) {
  for (std::int64_t c = 0; c < g.in_per_group(); ++c) {
    for (std::int64_t y = 0; y < g.in_height; ++y) {
      visit(group_in + (c * g.in_height + y) * g.in_width,
            padded + (c * g.padded_height() + y + g.pad_top) * g.padded_width() + g.pad_left);
    }
  }
}

// Calls visit(a run of kernel_width elements in the padded planes, the same run in the unfolded windows) for every line
// of every window. `windows` is a matrix of positions x window: each row holds the inputs that one output sees.
template <class Padded, class Windows, class Visit>
void for_each_run(const ConvolutionGeometry& g, Padded padded, Windows windows, Visit visit) {
  const std::int64_t height = g.padded_height(), width = g.padded_width();
  for (std::int64_t y = 0; y < g.out_height; ++y) {
    for (std::int64_t x = 0; x < g.out_width; ++x) {
      Padded corner = padded + y * g.stride_height * width + x * g.stride_width;
      for (std::int64_t c = 0; c < g.in_per_group(); ++c) {
        for (std::int64_t ky = 0; ky < g.kernel_height; ++ky) {
          visit(corner + (c * height + ky * g.dilation_height) * width, windows);
          windows += g.kernel_width;
        }
      }
    }
  }
}

// Runs have a handful of elements. If their length is known at compile time, copying one takes a few instructions.
template <int kWidth, class Real>
void unfold_runs(const ConvolutionGeometry& g, const Real* padded, Real* windows) {
  for_each_run(g, padded, windows, [](const Real* from, Real* to) { std::memcpy(to, from, kWidth * sizeof(Real)); });
}

template <class Real>
void unfold(const ConvolutionGeometry& g, const Real* group_in, ConvolutionWorkspace<Real>& workspace) {
  workspace.padded.assign(size(g.in_per_group() * g.padded_height() * g.padded_width()), Real(0));
  for_each_padded_line(g, group_in, workspace.padded.data(),
                       [&](const Real* from, Real* to) { std::copy(from, from + g.in_width, to); });
  const Real* padded = workspace.padded.data();
  Real* windows = workspace.windows.data();
  if (g.dilation_width == 1 && g.kernel_width == 3) return unfold_runs<3>(g, padded, windows);
  if (g.dilation_width == 1 && g.kernel_width == 4) return unfold_runs<4>(g, padded, windows);
  if (g.dilation_width == 1 && g.kernel_width == 5) return unfold_runs<5>(g, padded, windows);
  for_each_run(g, padded, windows, [&](const Real* from, Real* to) {
    for (std::int64_t kx = 0; kx < g.kernel_width; ++kx) to[kx] = from[kx * g.dilation_width];
  });
}

// The transpose of unfold(): adds every window's entries to the inputs that they came from.
template <class Real>
void fold_add(const ConvolutionGeometry& g, ConvolutionWorkspace<Real>& workspace, Real* group_in) {
  workspace.padded.assign(size(g.in_per_group() * g.padded_height() * g.padded_width()), Real(0));
  Real* padded = workspace.padded.data();
  const Real* windows = workspace.windows.data();
  for_each_run(g, padded, windows, [&](Real* to, const Real* from) {
    for (std::int64_t kx = 0; kx < g.kernel_width; ++kx) to[kx * g.dilation_width] += from[kx];
  });
  for_each_padded_line(g, group_in, padded, [&](Real* to, const Real* from) {
    for (std::int64_t x = 0; x < g.in_width; ++x) to[x] += from[x];
  });
}

}  // namespace

bool ConvolutionGeometry::is_pointwise() const {
  return kernel_height == 1 && kernel_width == 1 && stride_height == 1 && stride_width == 1 && pad_top == 0 &&
         pad_left == 0 && in_height == out_height && in_width == out_width;
}

std::int64_t ConvolutionGeometry::padded_height() const {
  const std::int64_t reached = (out_height - 1) * stride_height + (kernel_height - 1) * dilation_height + 1;
  return std::max(pad_top + in_height, reached);
}

std::int64_t ConvolutionGeometry::padded_width() const {
  const std::int64_t reached = (out_width - 1) * stride_width + (kernel_width - 1) * dilation_width + 1;
  return std::max(pad_left + in_width, reached);
}

void ConvolutionGeometry::check_work(std::int64_t limit) const {
  element_count({in_per_group(), padded_height(), padded_width()}, limit);
  element_count({out_height, out_width, window()}, limit);
}

bool ConvolutionGeometry::has_padding() const {
  return pad_top > 0 || pad_left > 0 || padded_height() > in_height || padded_width() > in_width;
}

template <class Real>
std::vector<Real> transposed_weights(const ConvolutionGeometry& g, const std::vector<Real>& weight) {
  std::vector<Real> result(weight.size());
  const std::int64_t group_size = g.out_per_group() * g.window();
  for (std::int64_t group = 0; group < g.groups; ++group) {
    transpose(weight.data() + group * group_size, g.out_per_group(), g.window(), result.data() + group * group_size);
  }
  return result;
}

template <class Real>
void convolve(const ConvolutionGeometry& g, const Real* transposed_weight, const Real* in, Real* out,
              ConvolutionWorkspace<Real>& workspace) {
  const std::int64_t positions = g.out_positions();
  const bool pointwise = g.is_pointwise();
  if (!pointwise) workspace.windows.resize(size(g.window() * positions));
  workspace.results.resize(size(g.out_per_group() * positions));
  for (std::int64_t group = 0; group < g.groups; ++group) {
    const Real* group_in = in + group * g.in_per_group() * g.in_height * g.in_width;
    // A pointwise convolution needs no unfolding: the input is the transpose of the windows' matrix.
    if (!pointwise) unfold(g, group_in, workspace);
    matrix_product(pointwise ? Transposed::kYes : Transposed::kNo, positions, g.out_per_group(), g.window(),
                   pointwise ? group_in : workspace.windows.data(),
                   transposed_weight + group * g.out_per_group() * g.window(), Result::kOverwrite,
                   workspace.results.data());
    transpose(workspace.results.data(), positions, g.out_per_group(), out + group * g.out_per_group() * positions);
  }
}

template <class Real>
void convolve_transposed(const ConvolutionGeometry& g, const Real* weight, const Real* out, Real* in,
                         ConvolutionWorkspace<Real>& workspace) {
  const std::int64_t positions = g.out_positions();
  workspace.windows.resize(size(g.window() * positions));
  for (std::int64_t group = 0; group < g.groups; ++group) {
    matrix_product(Transposed::kYes, positions, g.window(), g.out_per_group(),
                   out + group * g.out_per_group() * positions, weight + group * g.out_per_group() * g.window(),
                   Result::kOverwrite, workspace.windows.data());
    fold_add(g, workspace, in + group * g.in_per_group() * g.in_height * g.in_width);
  }
}

template std::vector<float> transposed_weights(const ConvolutionGeometry&, const std::vector<float>&);
template std::vector<double> transposed_weights(const ConvolutionGeometry&, const std::vector<double>&);
template void convolve(const ConvolutionGeometry&, const float*, const float*, float*, ConvolutionWorkspace<float>&);
template void convolve(const ConvolutionGeometry&, const double*, const double*, double*,
                       ConvolutionWorkspace<double>&);
template void convolve_transposed(const ConvolutionGeometry&, const float*, const float*, float*,
                                  ConvolutionWorkspace<float>&);
template void convolve_transposed(const ConvolutionGeometry&, const double*, const double*, double*,
                                  ConvolutionWorkspace<double>&);

}  // namespace plumb::tensor
