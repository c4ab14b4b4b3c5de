#include "network/network.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/overloaded.h"
#include "network/op_kind.h"

namespace plumb::network {
namespace {

[[noreturn]] void misfit(const std::string& what) { throw DataError("", what); }

void expect_size(const char* what, std::int64_t actual, std::int64_t expected) {
  if (actual != expected) misfit(fmt::format("{} has {} elements, but {} are needed", what, actual, expected));
}

void expect_arguments(std::span<const std::int64_t> arguments, std::size_t count) {
  if (arguments.size() != count) misfit(fmt::format("{} arguments instead of {}", arguments.size(), count));
}

void expect_coefficients(const char* what, const Coefficients& coefficients, std::int64_t size) {
  expect_size(what, coefficients.size(), size);
  for (std::int64_t i = 0; i < size; ++i) {
    if (std::isfinite(coefficients[i])) continue;
    throw DataError("", fmt::format("number {} of {} is {}", i, what, coefficients[i]),
                    "repair or retrain the network: its coefficients must be finite");
  }
  if (!std::isfinite(coefficients.error().relative) || !std::isfinite(coefficients.error().absolute)) {
    misfit(fmt::format("{} overflows when constants are folded", what));
  }
}

void expect_bias(const Coefficients& bias, std::int64_t size) {
  if (!bias.empty()) expect_coefficients("the bias", bias, size);
}

// Checks that an operation fits arguments of the given sizes, and returns the size of its result.
struct ResultSize {
  std::span<const std::int64_t> arguments;
  const std::vector<NetworkInput>& inputs;

  std::int64_t operator()(const Input& op) const {
    expect_arguments(arguments, 0);
    if (op.index < 0 || op.index >= static_cast<std::int64_t>(inputs.size())) misfit("no such network input");
    return tensor::element_count(inputs[static_cast<std::size_t>(op.index)].shape);
  }
  std::int64_t operator()(const Constant& op) const {
    expect_arguments(arguments, 0);
    expect_coefficients("the constant", op.values, op.values.size());
    return op.values.size();
  }
  std::int64_t operator()(const Dense& op) const {
    expect_arguments(arguments, 1);
    expect_size("the argument", arguments[0], op.rows * op.inputs);
    expect_coefficients("the weight", op.weight, op.inputs * op.outputs);
    expect_bias(op.bias, op.outputs);
    return op.rows * op.outputs;
  }
  std::int64_t operator()(const Convolution& op) const {
    expect_arguments(arguments, 1);
    expect_size("the argument", arguments[0], op.geometry.in_size());
    op.geometry.check_work(tensor::kMaxElements);
    expect_coefficients("the weight", op.weight, op.geometry.weight_count());
    expect_bias(op.bias, op.geometry.out_channels);
    return op.geometry.out_size();
  }
  std::int64_t operator()(const TransposedConvolution& op) const {
    expect_arguments(arguments, 1);
    expect_size("the argument", arguments[0], op.geometry.out_size());
    op.geometry.check_work(tensor::kMaxElements);
    expect_coefficients("the weight", op.weight, op.geometry.weight_count());
    expect_bias(op.bias, op.geometry.in_channels);
    return op.geometry.in_size();
  }
  std::int64_t operator()(const ScaleShift& op) const {
    expect_arguments(arguments, 1);
    expect_size("the argument", arguments[0], op.outer * op.channels * op.inner);
    expect_coefficients("the scale", op.scale, op.channels);
    expect_bias(op.shift, op.channels);
    return arguments[0];
  }
  std::int64_t operator()(const IndexMap& op) const {
    std::int64_t total = 0;
    for (const std::int64_t size : arguments) total += size;
    for (const std::int32_t source : *op.source) {
      if (source < -1 || source >= total)
        misfit(fmt::format("index {} is out of range: there are {} elements", source, total));
    }
    return static_cast<std::int64_t>(op.source->size());
  }
  std::int64_t operator()(const Sum& op) const {
    if (arguments.empty()) misfit("a sum needs arguments");
    expect_coefficients("the list of coefficients", op.coefficients, static_cast<std::int64_t>(arguments.size()));
    for (const std::int64_t size : arguments) expect_size("an argument", size, arguments[0]);
    return arguments[0];
  }
  std::int64_t operator()(const Relu&) const {
    expect_arguments(arguments, 1);
    return arguments[0];
  }
  std::int64_t operator()(const Maximum& op) const {
    expect_arguments(arguments, 1);
    if (op.offsets->empty() || op.offsets->front() != 0) misfit("the groups of a maximum must start at 0");
    expect_size("the list of members", static_cast<std::int64_t>(op.members->size()), op.offsets->back());
    for (std::size_t i = 1; i < op.offsets->size(); ++i) {
      if ((*op.offsets)[i] <= (*op.offsets)[i - 1]) misfit("a maximum over an empty group");
    }
    for (const std::int32_t member : *op.members) {
      if (member < 0 || member >= arguments[0])
        misfit(fmt::format("a maximum over element {}, which does not exist", member));
    }
    return op.groups();
  }
};

void expect_direct_form(const Node& node, NodeId id, std::span<const std::int64_t> sizes) {
  if (!node.direct) return;
  if (node.direct->argument >= id) misfit("the argument of a direct form must come earlier");
  const std::int64_t size = sizes[node.direct->argument];
  expect_size("the argument of a direct form", size, tensor::element_count(node.shape));
  const auto expect = [size](const char* what, const Coefficients& numbers) {
    expect_coefficients(what, numbers, numbers.size() == 1 ? 1 : size);
  };
  std::visit(Overloaded{[&](const LeakyForm& form) { expect("the slope", form.slope); },
                        [&](const LowerLimitForm& form) { expect("the limit", form.limit); }},
             node.direct->function);
}

}  // namespace

const char* name_of(const Op& op) {
  return std::visit(Overloaded{[](const Input&) { return "Input"; }, [](const Constant&) { return "Constant"; },
                               [](const Dense&) { return "Dense"; }, [](const Convolution&) { return "Convolution"; },
                               [](const TransposedConvolution&) { return "TransposedConvolution"; },
                               [](const ScaleShift&) { return "ScaleShift"; },
                               [](const IndexMap&) { return "IndexMap"; }, [](const Sum&) { return "Sum"; },
                               [](const Relu&) { return "Relu"; }, [](const Maximum&) { return "Maximum"; }},
                    op);
}

std::int64_t parameter_count(const Op& op) {
  const auto with_bias = [](const auto& affine) { return affine.weight.size() + affine.bias.size(); };
  return std::visit(
      Overloaded{[](const Input&) { return std::int64_t{0}; }, [](const Constant& c) { return c.values.size(); },
                 [&](const Dense& d) { return with_bias(d); }, [&](const Convolution& c) { return with_bias(c); },
                 [&](const TransposedConvolution& c) { return with_bias(c); },
                 [](const ScaleShift& s) { return s.scale.size() + s.shift.size(); },
                 [](const IndexMap&) { return std::int64_t{0}; }, [](const Sum&) { return std::int64_t{0}; },
                 [](const Relu&) { return std::int64_t{0}; }, [](const Maximum&) { return std::int64_t{0}; }},
      op);
}

std::int64_t relu_units(const Op& op, std::int64_t size) {
  return std::visit(Overloaded{[](const OpWithoutUnits auto&) { return std::int64_t{0}; },
                               [&](const Relu&) { return size; }, [](const Maximum&) { return std::int64_t{0}; }},
                    op);
}

std::int64_t max_units(const Op& op) {
  const auto groups_of_several = [](const Maximum& maximum) {
    std::int64_t units = 0;
    for (std::int64_t i = 0; i < maximum.groups(); ++i) units += maximum.group(i).size() > 1;
    return units;
  };
  return std::visit(Overloaded{[](const OpWithoutUnits auto&) { return std::int64_t{0}; },
                               [](const Relu&) { return std::int64_t{0}; }, groups_of_several},
                    op);
}

Network::Network(std::vector<Node> nodes, std::vector<NetworkInput> inputs, std::vector<NetworkOutput> outputs,
                 std::int64_t opset, std::shared_ptr<const Network> stored)
    : nodes_(std::move(nodes)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      opset_(opset),
      stored_(std::move(stored)) {
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const Node& node = nodes_[id];
    std::vector<std::int64_t> argument_sizes;
    try {
      for (const NodeId argument : node.arguments) {
        if (argument >= id) misfit("an argument must come earlier");
        argument_sizes.push_back(sizes_[argument]);
      }
      const std::int64_t size = std::visit(ResultSize{argument_sizes, inputs_}, node.op);
      expect_size("the result", size, tensor::element_count(node.shape));
      expect_direct_form(node, id, sizes_);
      sizes_.push_back(size);
    } catch (const DataError& error) {
      throw DataError(fmt::format("node '{}' ({})", node.name, name_of(node.op)), error.problem(), error.remedy());
    }
  }
  check_inputs();
  for (const NetworkInput& input : inputs_) {
    input_offsets_.push_back(input_size_);
    input_size_ += tensor::element_count(input.shape);
  }
  for (const NetworkOutput& output : outputs_) {
    if (output.node >= nodes_.size()) misfit(fmt::format("output '{}' does not name a node", output.name));
    expect_size("an output", tensor::element_count(output.shape), sizes_[output.node]);
    output_size_ += sizes_[output.node];
  }
  if (outputs_.empty()) misfit("the network has no outputs");
  if (stored_ && (stored_->input_size() != input_size_ || stored_->output_size() != output_size_)) {
    misfit("the network was simplified from a different one");
  }
}

void Network::check_inputs() const {
  std::int64_t next = 0;
  for (const Node& node : nodes_) {
    if (const Input* input = as_input(node.op)) {
      if (input->index != next++) misfit("the input nodes are not in the order of the inputs");
    }
  }
  if (next != static_cast<std::int64_t>(inputs_.size())) misfit("an input has no node");
}

std::shared_ptr<const Network> shared(Network network) { return std::make_shared<const Network>(std::move(network)); }

std::shared_ptr<const Network> as_stored(std::shared_ptr<const Network> network) {
  return network->stored() ? network->stored() : network;
}

std::vector<bool> evaluated_nodes(const Network& network) {
  std::vector<bool> needed(network.nodes().size(), false);
  for (const NetworkOutput& output : network.outputs()) needed[output.node] = true;
  for (NodeId id = network.nodes().size(); id-- > 0;) {
    const Node& node = network.node(id);
    if (is_input(node.op)) needed[id] = true;
    if (!needed[id]) continue;
    if (node.direct) {
      needed[node.direct->argument] = true;
    } else {
      for (const NodeId argument : node.arguments) needed[argument] = true;
    }
  }
  return needed;
}

std::int64_t Network::parameters() const {
  std::int64_t total = 0;
  for (const Node& node : nodes_) total += parameter_count(node.op);
  return total;
}

std::int64_t Network::relu_units() const {
  std::int64_t total = 0;
  for (NodeId id = 0; id < nodes_.size(); ++id) total += network::relu_units(nodes_[id].op, sizes_[id]);
  return total;
}

std::int64_t Network::max_units() const {
  std::int64_t total = 0;
  for (const Node& node : nodes_) total += network::max_units(node.op);
  return total;
}

}  // namespace plumb::network
