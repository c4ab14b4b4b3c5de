#include "network/exact_evaluator.h"

#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"

namespace plumb::network {
namespace {

using Values = std::vector<Dyadic>;

// Calls visit(output index, input index, weight index) for every product of a convolution.
template <class Visit>
void for_each_product(const tensor::ConvolutionGeometry& g, Visit visit) {
  const std::int64_t kernel = g.kernel_height * g.kernel_width;
  for (std::int64_t out = 0; out < g.out_size(); ++out) {
    const std::int64_t channel = out / g.out_positions(), position = out % g.out_positions();
    const std::int64_t top = position / g.out_width * g.stride_height - g.pad_top;
    const std::int64_t left = position % g.out_width * g.stride_width - g.pad_left;
    const std::int64_t first_channel = channel / g.out_per_group() * g.in_per_group();
    for (std::int64_t k = 0; k < g.window(); ++k) {
      const std::int64_t y = top + k % kernel / g.kernel_width * g.dilation_height;
      const std::int64_t x = left + k % g.kernel_width * g.dilation_width;
      if (y < 0 || y >= g.in_height || x < 0 || x >= g.in_width) continue;
      const std::int64_t in_channel = first_channel + k / kernel;
      visit(out, (in_channel * g.in_height + y) * g.in_width + x, channel * g.window() + k);
    }
  }
}

// Computes one node's values from those of its arguments.
struct Rule {
  const Network& network;
  std::span<const Dyadic> input;
  std::vector<const Values*> arguments;
  std::int64_t size;

  const Values& x() const { return *arguments[0]; }

  // The value before products are added: each bias stands for `inner` neighbours, and the biases repeat.
  Values biases(const Coefficients& bias, std::int64_t inner) const {
    Values y(index(size));
    if (bias.empty()) return y;
    for (std::int64_t i = 0; i < size; ++i) y[index(i)] = Dyadic(bias[i / inner % bias.size()]);
    return y;
  }

  Values operator()(const Input& op) const {
    const auto own = input.subspan(index(network.input_offset(op.index)), index(size));
    return {own.begin(), own.end()};
  }
  Values operator()(const Constant& op) const { return biases(op.values, 1); }
  Values operator()(const Dense& op) const {
    Values y = biases(op.bias, 1);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t row = i / op.outputs, output = i % op.outputs;
      for (std::int64_t j = 0; j < op.inputs; ++j) {
        y[index(i)].add_product(op.weight[output * op.inputs + j], x()[index(row * op.inputs + j)]);
      }
    }
    return y;
  }
  Values operator()(const Convolution& op) const {
    Values y = biases(op.bias, op.geometry.out_positions());
    for_each_product(op.geometry, [&](std::int64_t out, std::int64_t in, std::int64_t weight) {
      y[index(out)].add_product(op.weight[weight], x()[index(in)]);
    });
    return y;
  }
  Values operator()(const TransposedConvolution& op) const {
    Values y = biases(op.bias, op.geometry.in_height * op.geometry.in_width);
    for_each_product(op.geometry, [&](std::int64_t out, std::int64_t in, std::int64_t weight) {
      y[index(in)].add_product(op.weight[weight], x()[index(out)]);
    });
    return y;
  }
  Values operator()(const ScaleShift& op) const {
    Values y = biases(op.shift, op.inner);
    for (std::int64_t i = 0; i < size; ++i) {
      y[index(i)].add_product(op.scale[i / op.inner % op.channels], x()[index(i)]);
    }
    return y;
  }
  Values operator()(const IndexMap& op) const {
    Values y;
    for (const std::int32_t source : *op.source) {
      if (source < 0) {
        y.emplace_back();
        continue;
      }
      const auto size_of = [&](std::size_t a) { return static_cast<std::int64_t>(arguments[a]->size()); };
      const auto [argument, position] = locate(source, size_of);
      y.push_back((*arguments[argument])[index(position)]);
    }
    return y;
  }
  Values operator()(const Sum& op) const {
    Values y(index(size));
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const double coefficient = op.coefficients[static_cast<std::int64_t>(a)];
      for (std::size_t i = 0; i < y.size(); ++i) y[i].add_product(coefficient, (*arguments[a])[i]);
    }
    return y;
  }
  Values operator()(const Relu&) const {
    Values y = x();
    for (Dyadic& value : y) {
      if (value.sign() < 0) value = Dyadic();
    }
    return y;
  }
  Values operator()(const Maximum& op) const {
    Values y;
    for (std::int64_t g = 0; g < op.groups(); ++g) {
      const auto first = index((*op.offsets)[index(g)]), last = index((*op.offsets)[index(g + 1)]);
      const Dyadic* best = &x()[index((*op.members)[first])];
      for (std::size_t m = first + 1; m < last; ++m) {
        const Dyadic& other = x()[index((*op.members)[m])];
        if (less(*best, other)) best = &other;
      }
      y.push_back(*best);
    }
    return y;
  }
};

// Computes one node's values by its direct form.
struct DirectRule {
  const Values& x;

  Values operator()(const LeakyForm& f) const {
    Values y = x;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (x[i].sign() >= 0) continue;
      y[i] = Dyadic();
      y[i].add_product(f.slope[f.slope.size() == 1 ? 0 : static_cast<std::int64_t>(i)], x[i]);
    }
    return y;
  }
  Values operator()(const LowerLimitForm& f) const {
    Values y = x;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Dyadic limit(f.limit[f.limit.size() == 1 ? 0 : static_cast<std::int64_t>(i)]);
      if (less(y[i], limit)) y[i] = limit;
    }
    return y;
  }
};

bool is_exact(const Coefficients& coefficients) { return coefficients.error() == CoefficientError{}; }

bool has_exact_coefficients(const Op& op) {
  const auto affine = [](const auto& map) { return is_exact(map.weight) && is_exact(map.bias); };
  return std::visit(
      Overloaded{[](const Input&) { return true; }, [](const Constant& c) { return is_exact(c.values); },
                 [&](const Dense& map) { return affine(map); }, [&](const Convolution& map) { return affine(map); },
                 [&](const TransposedConvolution& map) { return affine(map); },
                 [](const ScaleShift& s) { return is_exact(s.scale) && is_exact(s.shift); },
                 [](const IndexMap&) { return true; }, [](const Sum& sum) { return is_exact(sum.coefficients); },
                 [](const Relu&) { return true; }, [](const Maximum&) { return true; }},
      op);
}

bool has_exact_coefficients(const Activation& activation) {
  return std::visit(Overloaded{[](const LeakyForm& f) { return is_exact(f.slope); },
                               [](const LowerLimitForm& f) { return is_exact(f.limit); }},
                    activation);
}

// An upper bound on the multiplications of one operation.
std::int64_t multiplications_of(const Op& op, std::int64_t size) {
  const auto convolution = [](const tensor::ConvolutionGeometry& g) { return g.out_size() * g.window(); };
  return std::visit(
      Overloaded{[&](const Input&) { return size; }, [&](const Constant&) { return size; },
                 [&](const Dense& map) { return size * map.inputs; },
                 [&](const Convolution& map) { return convolution(map.geometry); },
                 [&](const TransposedConvolution& map) { return convolution(map.geometry); },
                 [&](const ScaleShift&) { return size; }, [&](const IndexMap&) { return size; },
                 [&](const Sum& sum) { return size * sum.coefficients.size(); }, [&](const Relu&) { return size; },
                 [&](const Maximum& maximum) { return static_cast<std::int64_t>(maximum.members->size()); }},
      op);
}

}  // namespace

ExactEvaluator::ExactEvaluator(std::shared_ptr<const Network> network)
    : network_(std::move(network)), needed_(evaluated_nodes(*network_)) {
  for (NodeId id = 0; id < network_->nodes().size(); ++id) {
    if (!needed_[id]) continue;
    const Node& node = network_->node(id);
    const bool exact = node.direct ? has_exact_coefficients(node.direct->function) : has_exact_coefficients(node.op);
    is_possible_ = is_possible_ && exact;
    multiplications_ += node.direct ? network_->size(id) : multiplications_of(node.op, network_->size(id));
  }
}

std::vector<Dyadic> ExactEvaluator::evaluate(std::span<const Dyadic> input) const {
  if (!is_possible_) throw InternalError("exact evaluation", "the network has coefficients that are not exact");
  std::vector<Values> values(network_->nodes().size());
  for (NodeId id = 0; id < network_->nodes().size(); ++id) {
    if (!needed_[id]) continue;
    const Node& node = network_->node(id);
    if (node.direct) {
      values[id] = std::visit(DirectRule{values[node.direct->argument]}, node.direct->function);
      continue;
    }
    std::vector<const Values*> arguments;
    for (const NodeId argument : node.arguments) arguments.push_back(&values[argument]);
    values[id] = std::visit(Rule{*network_, input, std::move(arguments), network_->size(id)}, node.op);
  }
  Values outputs;
  for (const NetworkOutput& output : network_->outputs()) {
    outputs.insert(outputs.end(), values[output.node].begin(), values[output.node].end());
  }
  return outputs;
}

}  // namespace plumb::network
