#include "vnnlib/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>

#include "base/error.h"
#include "network/op_kind.h"

namespace plumb::vnnlib {
namespace {

tensor::Shape without_ones(tensor::Shape shape) {
  std::erase(shape, 1);
  return shape;
}

const char* name_of(network::ElementType type) {
  switch (type) {
    case network::ElementType::kFloat16:
      return "float16";
    case network::ElementType::kFloat32:
      return "float32";
    case network::ElementType::kFloat64:
      return "float64";
  }
  throw InternalError("VNN-LIB", "invalid ElementType value");
}

template <class Count>
void check_total(const char* what, Count declared, Count there, const std::string& name) {
  if (declared == there) return;
  throw DataError(name, fmt::format("the property declares {} {}, the network has {}", declared, what, there),
                  "is this the property's network?");
}

// Compares the shapes of one declaration with those of the network, tensor by tensor.
class TensorCheck {
 public:
  explicit TensorCheck(const std::string& name) : name_(name) {}

  void operator()(const char* what, const Tensor& tensor, const std::string& onnx_name, const tensor::Shape& shape) {
    const std::string both = fmt::format("{} {} is declared as {}, but the network's {} is {}", what, tensor.name,
                                         tensor::to_string(tensor.shape), onnx_name, tensor::to_string(shape));
    if (tensor::element_count(tensor.shape) != tensor::element_count(shape)) fail(name_, tensor.at, both);
    if (without_ones(tensor.shape) != without_ones(shape))
      notices_.push_back(both + ": elements are matched in row-major order");
  }

  std::vector<std::string> notices() { return std::move(notices_); }

 private:
  const std::string& name_;
  std::vector<std::string> notices_;
};

// For each declared tensor, the position of the network's tensor that it names; its own position if no tensor is named.
template <class Described>
std::vector<std::size_t> named_positions(const char* what, const std::vector<Tensor>& declared,
                                         std::span<const Described> there, const std::string& name) {
  std::vector<std::size_t> positions;
  const bool named = std::ranges::any_of(declared, [](const Tensor& tensor) { return tensor.onnx_name.has_value(); });
  for (const Tensor& tensor : declared) {
    if (!named) {
      positions.push_back(positions.size());
      continue;
    }
    if (!tensor.onnx_name) {
      fail(name, tensor.at, fmt::format("{} {} has no ONNX name, but others have one", what, tensor.name),
           fmt::format("give all {}s of a network a name, or none", what));
    }
    const auto found = std::ranges::find(there, *tensor.onnx_name, &Described::name);
    if (found == there.end()) {
      std::vector<std::string> names;
      for (const Described& one : there) names.push_back(fmt::format("'{}'", one.name));
      fail(name, tensor.at, fmt::format("the network has no {} '{}'", what, *tensor.onnx_name),
           fmt::format("it has {}", fmt::join(names, ", ")));
    }
    const auto position = static_cast<std::size_t>(found - there.begin());
    if (std::ranges::find(positions, position) != positions.end()) {
      fail(name, tensor.at, fmt::format("{} '{}' of the network is declared twice", what, *tensor.onnx_name));
    }
    positions.push_back(position);
  }
  return positions;
}

// The nodes, with the input nodes first and in the given order, and the new position of each node.
std::pair<std::vector<network::Node>, std::vector<network::NodeId>> with_inputs_first(
    const network::Network& network, const std::vector<std::size_t>& order) {
  std::vector<network::Node> nodes(order.size());
  std::vector<network::NodeId> moved;
  for (network::Node node : network.nodes()) {
    if (const network::Input* input = as_input(node.op)) {
      const auto at = std::ranges::find(order, static_cast<std::size_t>(input->index)) - order.begin();
      node.op = network::Input{at};
      moved.push_back(static_cast<network::NodeId>(at));
      nodes[static_cast<std::size_t>(at)] = std::move(node);
      continue;
    }
    for (network::NodeId& argument : node.arguments) argument = moved[argument];
    if (node.direct) node.direct->argument = moved[node.direct->argument];
    moved.push_back(nodes.size());
    nodes.push_back(std::move(node));
  }
  return {std::move(nodes), std::move(moved)};
}

// The network with its inputs and outputs in another order; so is the stored network, by which witnesses are evaluated.
network::Network reordered(const network::Network& network, const std::vector<std::size_t>& input_order,
                           const std::vector<std::size_t>& output_order) {
  auto [nodes, moved] = with_inputs_first(network, input_order);
  std::vector<network::NetworkInput> inputs;
  for (const std::size_t i : input_order) inputs.push_back(network.inputs()[i]);
  std::vector<network::NetworkOutput> outputs;
  for (const std::size_t i : output_order) {
    outputs.push_back(network.outputs()[i]);
    outputs.back().node = moved[outputs.back().node];
  }
  std::shared_ptr<const network::Network> stored;
  if (network.stored()) {
    stored = std::make_shared<const network::Network>(reordered(*network.stored(), input_order, output_order));
  }
  return network::Network(std::move(nodes), std::move(inputs), std::move(outputs), network.opset(), std::move(stored));
}

void check_type(const Tensor& tensor, const network::NetworkInput& input, const std::string& name) {
  if (tensor.type == "real" || tensor.type == name_of(input.type)) return;
  fail(name, tensor.at,
       fmt::format("input {} is declared as {}, but the network's {} is {}", tensor.name, tensor.type, input.name,
                   name_of(input.type)),
       "declare it as real to ask about real numbers");
}

}  // namespace

std::vector<std::string> check_fit(const DeclaredNetwork& declared, const network::Network& network,
                                   const std::string& name) {
  const std::size_t own = declared.outputs.size(), hidden = declared.hidden.size();
  check_total("input tensors", declared.inputs.size(), network.inputs().size(), name);
  check_total("output tensors", own, network.outputs().size() - std::min(hidden, network.outputs().size()), name);
  TensorCheck check(name);
  for (std::size_t i = 0; i < declared.inputs.size(); ++i) {
    const network::NetworkInput& there = network.inputs()[i];
    check("input", declared.inputs[i], there.name, there.shape);
    check_type(declared.inputs[i], there, name);
  }
  for (std::size_t i = 0; i < own + hidden; ++i) {
    const network::NetworkOutput& there = network.outputs()[i];
    if (i < own) check("output", declared.outputs[i], there.name, there.shape);
    if (i >= own) check("hidden value", declared.hidden[i - own], there.name, there.shape);
  }
  return check.notices();
}

std::vector<std::string> check_fit(const Script& script, const network::Network& network, const std::string& name) {
  // Version 1 declares flat elements, whatever the shapes are; joined networks were checked one by one.
  if (script.version == 2 && script.networks.size() == 1) return check_fit(script.networks[0], network, name);
  check_total("inputs", script.inputs, network.input_size(), name);
  if (script.version == 2) check_total("outputs", script.outputs, network.output_size(), name);
  if (script.version == 2 || script.outputs == network.output_size()) return {};
  // A property of version 1 need not declare outputs about which it says nothing.
  if (script.outputs > network.output_size()) {
    throw DataError(name,
                    fmt::format("the property declares Y_{}, the network has {} outputs", script.outputs - 1,
                                network.output_size()),
                    "is this the property's network?");
  }
  if (script.outputs == 0) return {};
  return {fmt::format("the last output that the property declares is Y_{}; the network has {}", script.outputs - 1,
                      network.output_size())};
}

network::Network in_declared_order(const DeclaredNetwork& declared, network::Network network, const std::string& name) {
  const std::span<const network::NetworkInput> inputs(network.inputs());
  const std::span<const network::NetworkOutput> outputs(network.outputs());
  const std::size_t own = outputs.size() - std::min(declared.hidden.size(), outputs.size());
  // A wrong number of tensors is left to check_fit(), whose error says most about it.
  if (declared.inputs.size() != inputs.size() || declared.outputs.size() != own) return network;
  const auto input_order = named_positions("input", declared.inputs, inputs, name);
  auto output_order = named_positions("output", declared.outputs, outputs.first(own), name);
  if (std::ranges::is_sorted(input_order) && std::ranges::is_sorted(output_order)) return network;
  for (std::size_t i = own; i < outputs.size(); ++i) output_order.push_back(i);
  return reordered(network, input_order, output_order);
}

std::string input_name(const Script& script, std::int64_t input) {
  if (script.version == 1) return fmt::format("X_{}", input);
  if (!script.input_places.empty()) input = std::ranges::find(script.input_places, input) - script.input_places.begin();
  for (const DeclaredNetwork& network : script.networks) {
    for (const Tensor& tensor : network.inputs) {
      const std::int64_t elements = tensor::element_count(tensor.shape);
      if (input < tensor.first || input >= tensor.first + elements) continue;
      std::int64_t rest = input - tensor.first;
      std::string indices;
      for (const std::int64_t stride : tensor::strides_of(tensor.shape)) {
        indices += fmt::format("{}{}", indices.empty() ? "" : ",", rest / stride);
        rest %= stride;
      }
      return indices.empty() ? tensor.name : fmt::format("{}[{}]", tensor.name, indices);
    }
  }
  return fmt::format("number {}", input);
}

}  // namespace plumb::vnnlib
