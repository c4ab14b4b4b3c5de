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

// Lays out an operation's coefficients. Returns false if the operation has none that bounds need.
struct AffineMap::Layout {
  AffineMap& map;
  std::size_t arguments;
  std::int64_t& bias_period;  // number of consecutive elements that share a bias

  bool operator()(const network::Dense& op) const {
    map.weight_ = op.weight;
    map.bias_ = op.bias;
    map.terms_ = op.inputs;
    map.transposed_.resize(index(op.weight.size()));
    tensor::transpose(op.weight.values().data(), op.outputs, op.inputs, map.transposed_.data());
    return true;
  }
  bool operator()(const network::Convolution& op) const {
    map.weight_ = op.weight;
    map.bias_ = op.bias;
    map.terms_ = op.geometry.window();
    bias_period = op.geometry.out_positions();
    map.transposed_ = transposed_weights(op.geometry, to_vector(op.weight));
    return true;
  }
  bool operator()(const network::TransposedConvolution& op) const {
    const tensor::ConvolutionGeometry& g = op.geometry;
    map.weight_ = op.weight;
    map.bias_ = op.bias;
    map.terms_ = g.out_per_group() * g.kernel_height * g.kernel_width;
    bias_period = g.in_height * g.in_width;
    map.transposed_ = to_vector(op.weight);
    map.weights_of_rows_ = transposed_weights(g, map.transposed_);
    return true;
  }
  bool operator()(const network::ScaleShift& op) const {
    map.weight_ = op.scale;
    map.bias_ = op.shift;
    bias_period = op.inner;
    map.transposed_ = to_vector(op.scale);
    return true;
  }
  bool operator()(const network::Sum& op) const {
    map.weight_ = op.coefficients;
    map.terms_ = static_cast<std::int64_t>(arguments);
    map.transposed_ = to_vector(op.coefficients);
    return true;
  }
  bool operator()(const network::Input&) const { return false; }
  bool operator()(const network::Constant&) const { return false; }
  bool operator()(const network::IndexMap&) const { return false; }
  bool operator()(const network::Relu&) const { return false; }
  bool operator()(const network::Maximum&) const { return false; }
};

std::optional<AffineMap> AffineMap::of(const network::Network& network, network::NodeId id) {
  const network::Node& node = network.node(id);
  AffineMap map;
  map.op_ = &node.op;
  map.size_ = network.size(id);
  std::int64_t bias_period = 1;
  if (!std::visit(Layout{map, node.arguments.size(), bias_period}, node.op)) return std::nullopt;
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
