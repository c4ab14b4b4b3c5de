// op.h: the closed set of operations that every network is made of.
//
// A value is a flat vector of reals. Importers lower everything they read to these few operations. Each part of Plumb
// (evaluation, bounds, encoding) has one rule per operation, and std::visit makes the compiler name every rule that is
// missing when an operation is added. op_kind.h answers questions about whole kinds of operations.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "network/coefficients.h"
#include "tensor/convolution.h"

namespace plumb::network {

// Input number `index` of the network. No arguments.
struct Input {
  std::int64_t index = 0;
};

// Fixed numbers. No arguments.
struct Constant {
  Coefficients values;
};

// y_r = W x_r + b for each of `rows` rows: x is rows x inputs, y is rows x outputs, W is outputs x inputs.
// An empty bias is zero.
struct Dense {
  std::int64_t rows = 1, inputs = 0, outputs = 0;
  Coefficients weight, bias;
};

// y = W * x + b with one bias per output channel. An empty bias is zero.
struct Convolution {
  tensor::ConvolutionGeometry geometry;
  Coefficients weight, bias;
};

// y = W^T * x + b. The geometry is that of the convolution from y to x.
struct TransposedConvolution {
  tensor::ConvolutionGeometry geometry;
  Coefficients weight, bias;
};

// y = s_c x + t_c for each element, where x is outer x channels x inner and c is the element's channel. An empty shift
// is zero.
struct ScaleShift {
  std::int64_t outer = 1, channels = 1, inner = 1;
  Coefficients scale, shift;
};

// y_i = x_(source_i), where x is the concatenation of the arguments; source -1 stands for zero.
struct IndexMap {
  std::shared_ptr<const std::vector<std::int32_t>> source;
};

// y = sum_j c_j x_j over the arguments, which all have y's size.
struct Sum {
  Coefficients coefficients;
};

// y = max(x, 0).
struct Relu {};

// y_i = max of x_m for m in members[offsets_i .. offsets_(i+1)); no group is empty.
struct Maximum {
  std::shared_ptr<const std::vector<std::int64_t>> offsets;
  std::shared_ptr<const std::vector<std::int32_t>> members;

  std::int64_t groups() const { return static_cast<std::int64_t>(offsets->size()) - 1; }
  // The members of group i, in their order; a member may occur twice.
  std::span<const std::int32_t> group(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    const auto first = static_cast<std::size_t>((*offsets)[at]), last = static_cast<std::size_t>((*offsets)[at + 1]);
    return std::span(*members).subspan(first, last - first);
  }
};

using Op =
    std::variant<Input, Constant, Dense, Convolution, TransposedConvolution, ScaleShift, IndexMap, Sum, Relu, Maximum>;

// The argument to which position `source` of the concatenated arguments belongs, and the position inside that argument.
// size_of(a) is the size of argument a.
struct Located {
  std::size_t argument;
  std::int64_t position;
};

template <class SizeOf>
Located locate(std::int64_t source, SizeOf size_of) {
  std::size_t argument = 0;
  for (std::int64_t size = size_of(argument); source >= size; size = size_of(argument)) {
    source -= size;
    ++argument;
  }
  return {argument, source};
}

const char* name_of(const Op& op);

// The number of weights and biases.
std::int64_t parameter_count(const Op& op);

}  // namespace plumb::network
