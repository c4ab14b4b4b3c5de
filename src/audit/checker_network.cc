#include "audit/checker_network.h"

#include <cmath>
#include <span>
#include <variant>

#include "base/overloaded.h"
#include "base/rounding.h"

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

checker::Geometry geometry_of(const tensor::ConvolutionGeometry& g) {
  return {.in_channels = g.in_channels,
          .in_height = g.in_height,
          .in_width = g.in_width,
          .out_channels = g.out_channels,
          .out_height = g.out_height,
          .out_width = g.out_width,
          .kernel_height = g.kernel_height,
          .kernel_width = g.kernel_width,
          .stride_height = g.stride_height,
          .stride_width = g.stride_width,
          .dilation_height = g.dilation_height,
          .dilation_width = g.dilation_width,
          .pad_top = g.pad_top,
          .pad_left = g.pad_left,
          .groups = g.groups};
}

checker::Op operation(const network::Op& op, const network::Network& network) {
  using checker::Op;
  return std::visit(
      Overloaded{
          [&](const network::Input& input) -> Op { return checker::Input{network.input_offset(input.index)}; },
          [](const network::Constant& constant) -> Op { return checker::Constant{enclosed(constant.values)}; },
          [](const network::Dense& map) -> Op {
            return checker::Dense{map.rows, map.inputs, map.outputs, enclosed(map.weight), enclosed(map.bias)};
          },
          [](const network::Convolution& map) -> Op {
            return checker::Convolution{geometry_of(map.geometry), enclosed(map.weight), enclosed(map.bias)};
          },
          [](const network::TransposedConvolution& map) -> Op {
            return checker::TransposedConvolution{geometry_of(map.geometry), enclosed(map.weight), enclosed(map.bias)};
          },
          [](const network::ScaleShift& map) -> Op {
            return checker::Scale{map.outer, map.channels, map.inner, enclosed(map.scale), enclosed(map.shift)};
          },
          [](const network::IndexMap& map) -> Op { return checker::Move{*map.source}; },
          [](const network::Sum& sum) -> Op { return checker::Sum{enclosed(sum.coefficients)}; },
          [](const network::Relu&) -> Op { return checker::Relu{}; },
          [](const network::Maximum& maximum) -> Op {
            return checker::Maximum{*maximum.offsets, *maximum.members};
          }},
      op);
}

}  // namespace

checker::Network checker_network(const network::Network& network) {
  checker::Network result;
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    const network::Node& node = network.node(id);
    checker::Node& made = result.nodes.emplace_back(
        checker::Node{node.name, operation(node.op, network), node.arguments, network.size(id)});
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
