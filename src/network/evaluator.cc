#include "network/evaluator.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/numbers.h"
#include "network/op_kind.h"
#include "tensor/matrix_product.h"

namespace plumb::network {
namespace {

// The values of one chunk of samples should fit a core's own cache, but a chunk should have enough samples to share the
// cost of loading a dense layer's weights from memory.
constexpr std::int64_t kChunkElements = std::int64_t{1} << 18;
constexpr std::int64_t kMinChunk = 16, kMaxChunk = 64;

template <class Real>
std::vector<Real> converted(const Coefficients& coefficients) {
  std::vector<Real> result(index(coefficients.size()));
  std::transform(coefficients.values().begin(), coefficients.values().end(), result.begin(),
                 [](double v) { return static_cast<Real>(v); });
  return result;
}

// Adds bias_c to each of the `inner` elements of channel c. The channels are repeated `outer` times.
template <class Real>
void add_bias(const std::vector<Real>& bias, std::int64_t outer, std::int64_t inner, Real* y) {
  if (bias.empty()) return;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const Real b : bias) {
      for (std::int64_t i = 0; i < inner; ++i) y[i] += b;
      y += inner;
    }
  }
}

template <class Real>
std::int64_t winner(const Maximum& maximum, std::int64_t group, const Real* x) {
  const auto& members = *maximum.members;
  const auto first = index((*maximum.offsets)[index(group)]), last = index((*maximum.offsets)[index(group + 1)]);
  std::int64_t best = members[first];
  for (std::size_t m = first + 1; m < last; ++m) {
    if (x[members[m]] > x[best]) best = members[m];
  }
  return best;
}

}  // namespace

// Computes one node's values from its arguments' values, for all samples of a chunk.
template <class Real>
struct Evaluator<Real>::Forward {
  const Network& network;
  const Node& node;
  const Parameters& parameters;
  std::span<const Real> inputs;
  std::int64_t samples;
  std::int64_t size;
  Workspace& workspace;
  Real* y;

  const Real* argument(std::size_t a = 0) const { return workspace.values[node.arguments[a]].data(); }
  std::int64_t argument_size(std::size_t a = 0) const { return network.size(node.arguments[a]); }

  void operator()(const Input& op) const {
    const Real* from = inputs.data() + network.input_offset(op.index);
    for (std::int64_t s = 0; s < samples; ++s) {
      std::copy(from, from + size, y + s * size);
      from += network.input_size();
    }
  }
  void operator()(const Constant&) const {
    for (std::int64_t s = 0; s < samples; ++s) {
      std::copy(parameters.weight.begin(), parameters.weight.end(), y + s * size);
    }
  }
  void operator()(const Dense& op) const {
    matrix_product(tensor::Transposed::kNo, samples * op.rows, op.outputs, op.inputs, argument(),
                   parameters.transposed.data(), tensor::Result::kOverwrite, y);
    add_bias(parameters.bias, samples * op.rows, 1, y);
  }
  void operator()(const Convolution& op) const {
    for (std::int64_t s = 0; s < samples; ++s) {
      convolve(op.geometry, parameters.transposed.data(), argument() + s * argument_size(), y + s * size,
               workspace.convolution);
    }
    add_bias(parameters.bias, samples, op.geometry.out_positions(), y);
  }
  void operator()(const TransposedConvolution& op) const {
    std::fill(y, y + samples * size, Real(0));
    for (std::int64_t s = 0; s < samples; ++s) {
      convolve_transposed(op.geometry, parameters.weight.data(), argument() + s * argument_size(), y + s * size,
                          workspace.convolution);
    }
    add_bias(parameters.bias, samples, op.geometry.in_height * op.geometry.in_width, y);
  }
  void operator()(const ScaleShift& op) const {
    const Real* x = argument();
    Real* to = y;
    for (std::int64_t o = 0; o < samples * op.outer; ++o) {
      for (std::int64_t c = 0; c < op.channels; ++c) {
        const Real scale = parameters.weight[index(c)];
        const Real shift = parameters.bias.empty() ? Real(0) : parameters.bias[index(c)];
        for (std::int64_t i = 0; i < op.inner; ++i) *to++ = scale * *x++ + shift;
      }
    }
  }
  void operator()(const IndexMap& op) const {
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t source = (*op.source)[index(i)];
      if (source < 0) {
        for (std::int64_t s = 0; s < samples; ++s) y[s * size + i] = Real(0);
        continue;
      }
      const auto [a, position] = locate(source, [&](std::size_t arg) { return argument_size(arg); });
      const Real* from = argument(a) + position;
      for (std::int64_t s = 0; s < samples; ++s) y[s * size + i] = from[s * argument_size(a)];
    }
  }
  void operator()(const Sum&) const {
    std::fill(y, y + samples * size, Real(0));
    for (std::size_t a = 0; a < node.arguments.size(); ++a) {
      const Real coefficient = parameters.weight[a];
      const Real* x = argument(a);
      for (std::int64_t i = 0; i < samples * size; ++i) y[i] += coefficient * x[i];
    }
  }
  void operator()(const Relu&) const {
    const Real* x = argument();
    for (std::int64_t i = 0; i < samples * size; ++i) y[i] = std::max(x[i], Real(0));
  }
  void operator()(const Maximum& op) const {
    for (std::int64_t s = 0; s < samples; ++s) {
      const Real* x = argument() + s * argument_size();
      for (std::int64_t i = 0; i < size; ++i) y[s * size + i] = x[winner(op, i, x)];
    }
  }
};

// Adds the contribution of one node's gradient to its arguments' gradients, for all samples of a chunk.
template <class Real>
struct Evaluator<Real>::Backward {
  const Network& network;
  const Node& node;
  const Parameters& parameters;
  std::int64_t samples;
  std::int64_t size;
  Workspace& workspace;
  const Real* gradient;

  const Real* argument() const { return workspace.values[node.arguments[0]].data(); }
  Real* argument_gradient(std::size_t a = 0) const { return workspace.gradients[node.arguments[a]].data(); }
  std::int64_t argument_size(std::size_t a = 0) const { return network.size(node.arguments[a]); }

  void operator()(const Input&) const {}
  void operator()(const Constant&) const {}
  void operator()(const Dense& op) const {
    matrix_product(tensor::Transposed::kNo, samples * op.rows, op.inputs, op.outputs, gradient,
                   parameters.weight.data(), tensor::Result::kAdd, argument_gradient());
  }
  void operator()(const Convolution& op) const {
    for (std::int64_t s = 0; s < samples; ++s) {
      convolve_transposed(op.geometry, parameters.weight.data(), gradient + s * size,
                          argument_gradient() + s * argument_size(), workspace.convolution);
    }
  }
  void operator()(const TransposedConvolution& op) const {
    std::vector<Real> contribution(index(argument_size()));
    for (std::int64_t s = 0; s < samples; ++s) {
      convolve(op.geometry, parameters.transposed.data(), gradient + s * size, contribution.data(),
               workspace.convolution);
      Real* to = argument_gradient() + s * argument_size();
      for (const Real value : contribution) *to++ += value;
    }
  }
  void operator()(const ScaleShift& op) const {
    const Real* from = gradient;
    Real* to = argument_gradient();
    for (std::int64_t o = 0; o < samples * op.outer; ++o) {
      for (const Real scale : parameters.weight) {
        for (std::int64_t i = 0; i < op.inner; ++i) *to++ += scale * *from++;
      }
    }
  }
  void operator()(const IndexMap& op) const {
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t source = (*op.source)[index(i)];
      if (source < 0) continue;
      const auto [a, position] = locate(source, [&](std::size_t arg) { return argument_size(arg); });
      Real* to = argument_gradient(a) + position;
      for (std::int64_t s = 0; s < samples; ++s) to[s * argument_size(a)] += gradient[s * size + i];
    }
  }
  void operator()(const Sum&) const {
    for (std::size_t a = 0; a < node.arguments.size(); ++a) {
      const Real coefficient = parameters.weight[a];
      Real* to = argument_gradient(a);
      for (std::int64_t i = 0; i < samples * size; ++i) to[i] += coefficient * gradient[i];
    }
  }
  void operator()(const Relu&) const {
    const Real* x = argument();
    Real* to = argument_gradient();
    for (std::int64_t i = 0; i < samples * size; ++i) to[i] += x[i] > 0 ? gradient[i] : Real(0);
  }
  void operator()(const Maximum& op) const {
    for (std::int64_t s = 0; s < samples; ++s) {
      const Real* x = argument() + s * argument_size();
      Real* to = argument_gradient() + s * argument_size();
      for (std::int64_t i = 0; i < size; ++i) to[winner(op, i, x)] += gradient[s * size + i];
    }
  }
};

// A node's coefficients in the form that Forward and Backward use.
template <class Real>
struct Evaluator<Real>::Prepare {
  Parameters operator()(const Input&) const { return {}; }
  Parameters operator()(const Constant& op) const { return {converted<Real>(op.values), {}, {}}; }
  Parameters operator()(const Dense& op) const {
    Parameters result{converted<Real>(op.weight), converted<Real>(op.bias), {}};
    result.transposed.resize(result.weight.size());
    tensor::transpose(result.weight.data(), op.outputs, op.inputs, result.transposed.data());
    return result;
  }
  Parameters operator()(const Convolution& op) const { return convolution(op.geometry, op.weight, op.bias); }
  Parameters operator()(const TransposedConvolution& op) const { return convolution(op.geometry, op.weight, op.bias); }
  Parameters operator()(const ScaleShift& op) const {
    return {converted<Real>(op.scale), converted<Real>(op.shift), {}};
  }
  Parameters operator()(const IndexMap&) const { return {}; }
  Parameters operator()(const Sum& op) const { return {converted<Real>(op.coefficients), {}, {}}; }
  Parameters operator()(const Relu&) const { return {}; }
  Parameters operator()(const Maximum&) const { return {}; }

 private:
  static Parameters convolution(const tensor::ConvolutionGeometry& geometry, const Coefficients& weight,
                                const Coefficients& bias) {
    Parameters result{converted<Real>(weight), converted<Real>(bias), {}};
    result.transposed = transposed_weights(geometry, result.weight);
    return result;
  }
};

template <class Real>
Evaluator<Real>::Evaluator(std::shared_ptr<const Network> network)
    : network_(std::move(network)), needed_(evaluated_nodes(*network_)) {
  std::int64_t elements = 1;
  parameters_.resize(network_->nodes().size());
  for (NodeId id = 0; id < network_->nodes().size(); ++id) {
    if (!needed_[id]) continue;
    const Node& node = network_->node(id);
    if (!node.direct) parameters_[id] = std::visit(Prepare{}, node.op);
    elements += network_->size(id);
  }
  chunk_ = std::clamp(kChunkElements / elements, kMinChunk, kMaxChunk);
}

template <class Real>
std::int64_t Evaluator<Real>::samples_in(std::span<const Real> inputs) const {
  const std::int64_t count = static_cast<std::int64_t>(inputs.size());
  if (network_->input_size() == 0 || count % network_->input_size() != 0) {
    throw InternalError("evaluation", "the number of inputs is not a multiple of the sample size");
  }
  return count / network_->input_size();
}

// Asking for the time takes as long as some hundred multiplications, so it is done only for large nodes.
template <class Real>
bool Evaluator<Real>::is_abandoned(NodeId id, std::int64_t samples, const Workspace& workspace) const {
  constexpr std::int64_t kLarge = 10'000;
  return samples * network_->size(id) >= kLarge && limit_reached(workspace.budget);
}

template <class Real>
bool Evaluator<Real>::forward(std::span<const Real> inputs, std::int64_t samples, Workspace& workspace) const {
  workspace.values.resize(network_->nodes().size());
  for (NodeId id = 0; id < network_->nodes().size(); ++id) {
    if (!needed_[id]) continue;
    if (is_abandoned(id, samples, workspace)) return false;
    const Node& node = network_->node(id);
    auto& values = workspace.values[id];
    values.resize(index(samples * network_->size(id)));
    if (node.direct) {
      evaluate_activation<Real>(node.direct->function, network_->size(id), workspace.values[node.direct->argument],
                                values);
      continue;
    }
    std::visit(Forward{*network_, node, parameters_[id], inputs, samples, network_->size(id), workspace, values.data()},
               node.op);
  }
  return true;
}

template <class Real>
bool Evaluator<Real>::backward(std::span<const Real> functionals, std::int64_t samples, Workspace& workspace) const {
  workspace.gradients.resize(network_->nodes().size());
  for (NodeId id = 0; id < network_->nodes().size(); ++id) {
    if (needed_[id]) workspace.gradients[id].assign(index(samples * network_->size(id)), Real(0));
  }
  std::int64_t offset = 0;
  for (const NetworkOutput& output : network_->outputs()) {
    const std::int64_t size = network_->size(output.node);
    for (std::int64_t s = 0; s < samples; ++s) {
      const Real* from = functionals.data() + s * network_->output_size() + offset;
      Real* to = workspace.gradients[output.node].data() + s * size;
      for (std::int64_t i = 0; i < size; ++i) to[i] += from[i];
    }
    offset += size;
  }
  for (NodeId id = network_->nodes().size(); id-- > 0;) {
    if (!needed_[id]) continue;
    if (is_abandoned(id, samples, workspace)) return false;
    const Node& node = network_->node(id);
    if (node.direct) {
      const NodeId argument = node.direct->argument;
      add_activation_gradient<Real>(node.direct->function, network_->size(id), workspace.values[argument],
                                    workspace.gradients[id], workspace.gradients[argument]);
      continue;
    }
    std::visit(Backward{*network_, node, parameters_[id], samples, network_->size(id), workspace,
                        workspace.gradients[id].data()},
               node.op);
  }
  return true;
}

template <class Real>
void Evaluator<Real>::copy_outputs(std::int64_t samples, const Workspace& workspace, std::span<Real> outputs) const {
  for (std::int64_t s = 0; s < samples; ++s) {
    Real* to = outputs.data() + s * network_->output_size();
    for (const NetworkOutput& output : network_->outputs()) {
      const std::int64_t size = network_->size(output.node);
      const Real* from = workspace.values[output.node].data() + s * size;
      to = std::copy(from, from + size, to);
    }
  }
}

template <class Real>
void Evaluator<Real>::evaluate(std::span<const Real> inputs, std::span<Real> outputs, Workspace& workspace) const {
  const std::int64_t samples = samples_in(inputs);
  for (std::int64_t first = 0; first < samples; first += chunk_) {
    const std::int64_t count = std::min(chunk_, samples - first);
    if (!forward(inputs.subspan(index(first * network_->input_size()), index(count * network_->input_size())), count,
                 workspace)) {
      std::ranges::fill(outputs, std::numeric_limits<Real>::quiet_NaN());
      return;
    }
    copy_outputs(count, workspace,
                 outputs.subspan(index(first * network_->output_size()), index(count * network_->output_size())));
  }
}

template <class Real>
void Evaluator<Real>::evaluate_with_gradient(std::span<const Real> inputs, std::span<const Real> functionals,
                                             std::span<Real> outputs, std::span<Real> gradients,
                                             Workspace& workspace) const {
  const std::int64_t samples = samples_in(inputs);
  const std::int64_t in = network_->input_size(), out = network_->output_size();
  for (std::int64_t first = 0; first < samples; first += chunk_) {
    const std::int64_t count = std::min(chunk_, samples - first);
    const bool complete = forward(inputs.subspan(index(first * in), index(count * in)), count, workspace) &&
                          backward(functionals.subspan(index(first * out), index(count * out)), count, workspace);
    if (!complete) {
      std::ranges::fill(outputs, std::numeric_limits<Real>::quiet_NaN());
      std::ranges::fill(gradients, std::numeric_limits<Real>::quiet_NaN());
      return;
    }
    copy_outputs(count, workspace, outputs.subspan(index(first * out), index(count * out)));
    for (NodeId id = 0; id < network_->nodes().size(); ++id) {
      const Input* input = as_input(network_->node(id).op);
      if (input == nullptr) continue;
      const std::int64_t size = network_->size(id);
      for (std::int64_t s = 0; s < count; ++s) {
        const Real* from = workspace.gradients[id].data() + s * size;
        std::copy(from, from + size, gradients.data() + (first + s) * in + network_->input_offset(input->index));
      }
    }
  }
}

template class Evaluator<float>;
template class Evaluator<double>;

}  // namespace plumb::network
