#include "audit/checker_network.h"

#include <cmath>
#include <span>
#include <variant>

#include "base/overloaded.h"
#include "base/rounding.h"
#include "windows.h"  // the checker's

namespace plumb::audit {
namespace {

// All numbers that the true ones may be.
checker::Numbers enclosed(const network::Coefficients& coefficients) {
  const std::span<const double> values = coefficients.values();
  checker::Numbers numbers{{values.begin(), values.end()}, {}};
  const auto& [relative, absolute] = coefficients.error();
  if (relative == 0 && absolute == 0) return numbers;
  for (double& number : numbers.low) {
    const double error = sum_up(product_up(relative, std::abs(number)), absolute);
    numbers.high.push_back(sum_up(number, error));
    number = sum_down(number, -error);
  }
  return numbers;
}

// The windows of a convolution from a value with `in` to one with `out`, or back.
checker::Windows windows_of(const tensor::ConvolutionGeometry& g, bool transposed) {
  const checker::Shape large{g.in_height, g.in_width}, small{g.out_height, g.out_width};
  const checker::Shape kernel{g.kernel_height, g.kernel_width}, stride{g.stride_height, g.stride_width};
  const checker::Shape dilation{g.dilation_height, g.dilation_width}, pad{g.pad_top, g.pad_left};
  const auto along = [&](std::size_t d, std::int64_t position, std::int64_t k) {
    if (!transposed) return position * stride[d] - pad[d] + k * dilation[d];
    const std::int64_t scaled = position + pad[d] - k * dilation[d];
    return scaled % stride[d] == 0 ? scaled / stride[d] : -1;
  };
  const checker::Shape &in = transposed ? small : large, &out = transposed ? large : small;
  checker::Windows windows{checker::taps_of(in, out, kernel, along), in[0] * in[1], g.kernel_height * g.kernel_width};
  windows.in_channels = transposed ? g.out_channels : g.in_channels;
  windows.out_channels = transposed ? g.in_channels : g.out_channels;
  windows.groups = g.groups;
  return windows;
}

checker::Affine dense(const network::Dense& map) {
  checker::Affine op{enclosed(map.weight), enclosed(map.bias), {{{0, 0, 0, map.inputs}}}};
  op.rows = map.rows, op.inputs = map.inputs, op.outputs = map.outputs;
  for (std::int64_t i = 0; i < map.rows * map.outputs; ++i) {
    const std::int64_t o = i % map.outputs;
    op.elements.emplace_back(0, i / map.outputs * map.inputs, o * map.inputs, op.biases.empty() ? -1 : o);
  }
  return op;
}

checker::Affine scale(const network::ScaleShift& map) {
  checker::Affine op{enclosed(map.scale), enclosed(map.shift), {{{0, 0, 0, 1}}}};
  op.is_elementwise = true;
  for (std::int64_t i = 0; i < map.outer * map.channels * map.inner; ++i) {
    const std::int64_t c = i / map.inner % map.channels;
    op.elements.emplace_back(0, i, c, op.biases.empty() ? -1 : c);
  }
  return op;
}

checker::Affine movement(const network::IndexMap& map, const network::Node& node, const network::Network& network) {
  checker::Affine op{{{1.0}, {}}, {}, {{}}};  // the first pattern is zero
  op.is_elementwise = true;
  for (std::size_t j = 0; j < node.arguments.size(); ++j)
    op.patterns.push_back({{std::ssize(op.patterns) - 1, 0, 0, 1}});
  for (std::int64_t source : *map.source) {
    std::size_t j = 0;
    while (source >= 0 && source >= network.size(node.arguments[j])) source -= network.size(node.arguments[j++]);
    op.elements.emplace_back(source < 0 ? 0 : static_cast<std::int64_t>(j) + 1, source < 0 ? 0 : source);
  }
  return op;
}

checker::Affine sum(const network::Sum& map, std::int64_t size) {
  checker::Affine op{enclosed(map.coefficients), {}, {{}}};
  op.is_elementwise = true;
  for (std::size_t j = 0; j < op.weights.size(); ++j) op.patterns[0].emplace_back(j, 0, j, 1);
  for (std::int64_t i = 0; i < size; ++i) op.elements.emplace_back(0, i);
  return op;
}

checker::Op operation(const network::Node& node, std::int64_t size, const network::Network& network) {
  using checker::Op;
  return std::visit(
      Overloaded{[&](const network::Input& input) -> Op { return checker::Input{network.input_offset(input.index)}; },
                 [](const network::Constant& constant) -> Op { return checker::constant(enclosed(constant.values)); },
                 [](const network::Dense& map) -> Op { return dense(map); },
                 [](const network::Convolution& map) -> Op {
                   return checker::convolution(windows_of(map.geometry, false), enclosed(map.weight),
                                               enclosed(map.bias));
                 },
                 [](const network::TransposedConvolution& map) -> Op {
                   return checker::transposed_convolution(windows_of(map.geometry, true), enclosed(map.weight),
                                                          enclosed(map.bias));
                 },
                 [](const network::ScaleShift& map) -> Op { return scale(map); },
                 [&](const network::IndexMap& map) -> Op { return movement(map, node, network); },
                 [&](const network::Sum& map) -> Op { return sum(map, size); },
                 [](const network::Relu&) -> Op { return checker::Relu{}; },
                 [](const network::Maximum& maximum) -> Op {
                   return checker::Maximum{*maximum.offsets, *maximum.members};
                 }},
      node.op);
}

}  // namespace

checker::Network checker_network(const network::Network& network) {
  checker::Network result;
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    const network::Node& node = network.node(id);
    checker::Node& made = result.nodes.emplace_back(
        checker::Node{node.name, operation(node, network.size(id), network), node.arguments, network.size(id)});
    if (!node.unit_name) continue;
    made.tensor = node.unit_name->tensor;
    made.number = node.unit_name->number;
  }
  for (const network::NetworkInput& input : network.inputs()) result.inputs.push_back({input.name, input.shape});
  for (const network::NetworkOutput& output : network.outputs())
    result.outputs.push_back({output.name, output.node, output.dropped_activation.has_value()});
  result.input_size = network.input_size();
  result.output_size = network.output_size();
  find_places(result);
  return result;
}

}  // namespace plumb::audit
