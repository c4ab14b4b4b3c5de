#include "bounds/affine_map.h"

#include <cmath>

#include "base/numbers.h"
#include "tensor/matrix_product.h"

namespace plumb::bounds {
namespace {

std::vector<double> absolute(std::vector<double> values) {
  for (double& v : values) v = std::abs(v);
  return values;
}

std::vector<double> to_vector(const network::Coefficients& c) { return {c.values().begin(), c.values().end()}; }

using Arguments = std::vector<std::span<const double>>;

// Computes y = W x. `weights` is W, or |W|, in the layout of the operation's kernel.
struct Apply {
  const std::vector<double>& weights;
  const Arguments& x;
  std::vector<double>& y;

  void operator()(const network::Dense& op) const {
    matrix_product(tensor::Transposed::kNo, op.rows, op.outputs, op.inputs, x[0].data(), weights.data(),
                   tensor::Result::kOverwrite, y.data());
  }
  void operator()(const network::Convolution& op) const {
    tensor::ConvolutionWorkspace<double> workspace;
    convolve(op.geometry, weights.data(), x[0].data(), y.data(), workspace);
  }
  void operator()(const network::TransposedConvolution& op) const {
    tensor::ConvolutionWorkspace<double> workspace;
    convolve_transposed(op.geometry, weights.data(), x[0].data(), y.data(), workspace);
  }
  void operator()(const network::ScaleShift& op) const {
    for (std::int64_t i = 0; i < op.outer * op.channels * op.inner; ++i) {
      y[index(i)] = weights[index(i / op.inner % op.channels)] * x[0][index(i)];
    }
  }
  void operator()(const network::Sum&) const {
    for (std::size_t a = 0; a < x.size(); ++a) {
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += weights[a] * x[a][i];
    }
  }
  void operator()(const network::Input&) const {}
  void operator()(const network::Constant&) const {}
  void operator()(const network::IndexMap&) const {}
  void operator()(const network::Relu&) const {}
  void operator()(const network::Maximum&) const {}
};

}  // namespace

std::optional<AffineMap> AffineMap::of(const network::Network& network, network::NodeId id) {
  AffineMap map;
  std::int64_t bias_period = 1;  // number of consecutive elements that share a bias
  const network::Op& op = network.node(id).op;
  map.op_ = &op;
  map.size_ = network.size(id);
  if (const auto* dense = std::get_if<network::Dense>(&op)) {
    map.weight_ = dense->weight;
    map.bias_ = dense->bias;
    map.terms_ = dense->inputs;
    map.transposed_.resize(index(dense->weight.size()));
    tensor::transpose(dense->weight.values().data(), dense->outputs, dense->inputs, map.transposed_.data());
  } else if (const auto* conv = std::get_if<network::Convolution>(&op)) {
    map.weight_ = conv->weight;
    map.bias_ = conv->bias;
    map.terms_ = conv->geometry.window();
    bias_period = conv->geometry.out_positions();
    map.transposed_ = transposed_weights(conv->geometry, to_vector(conv->weight));
  } else if (const auto* back = std::get_if<network::TransposedConvolution>(&op)) {
    const tensor::ConvolutionGeometry& g = back->geometry;
    map.weight_ = back->weight;
    map.bias_ = back->bias;
    map.terms_ = g.out_per_group() * g.kernel_height * g.kernel_width;
    bias_period = g.in_height * g.in_width;
    map.transposed_ = to_vector(back->weight);
  } else if (const auto* scale = std::get_if<network::ScaleShift>(&op)) {
    map.weight_ = scale->scale;
    map.bias_ = scale->shift;
    bias_period = scale->inner;
    map.transposed_ = to_vector(scale->scale);
  } else if (const auto* sum = std::get_if<network::Sum>(&op)) {
    map.weight_ = sum->coefficients;
    map.terms_ = static_cast<std::int64_t>(network.node(id).arguments.size());
    map.transposed_ = to_vector(sum->coefficients);
  } else {
    return std::nullopt;
  }
  map.absolute_ = absolute(map.transposed_);
  for (std::int64_t i = 0; i < map.size_ && !map.bias_.empty(); ++i) {
    map.biases_.push_back(map.bias_[i / bias_period % map.bias_.size()]);
  }
  return map;
}

std::vector<double> AffineMap::apply(const Arguments& x, bool of_absolute) const {
  std::vector<double> y(index(size_), 0.0);
  std::visit(Apply{of_absolute ? absolute_ : transposed_, x, y}, *op_);
  return y;
}

}  // namespace plumb::bounds
