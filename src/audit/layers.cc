#include "audit/layers.h"

#include "base/error.h"
#include "base/numbers.h"

namespace plumb::audit {
namespace {

// An interval that contains the true coefficient: |true - value| <= relative |value| + absolute.
Interval coefficient(const network::Coefficients& of, std::int64_t i) {
  const double value = of[i];
  if (of.error() == network::CoefficientError{}) return value;
  const double error = sum_up(times_up(of.error().relative, std::abs(value)), of.error().absolute);
  return {sum_down(value, -error), sum_up(value, error)};
}

Interval coefficient_or_zero(const network::Coefficients& of, std::int64_t i) {
  return of.empty() ? 0.0 : coefficient(of, i);
}

struct Terms {
  const network::Network& network;
  const network::Node& node;
  std::int64_t element;
  const VisitTerm& visit;

  Interval operator()(const network::Constant& op) const { return coefficient(op.values, element); }

  Interval operator()(const network::Dense& op) const {
    const std::int64_t row = element / op.outputs, output = element % op.outputs;
    for (std::int64_t i = 0; i < op.inputs; ++i) {
      visit(0, row * op.inputs + i, coefficient(op.weight, output * op.inputs + i));
    }
    return coefficient_or_zero(op.bias, output);
  }

  Interval operator()(const network::Convolution& op) const {
    const tensor::ConvolutionGeometry& g = op.geometry;
    const std::int64_t channel = element / g.out_positions(), position = element % g.out_positions();
    const std::int64_t top = position / g.out_width * g.stride_height - g.pad_top;
    const std::int64_t left = position % g.out_width * g.stride_width - g.pad_left;
    const std::int64_t first = channel / g.out_per_group() * g.in_per_group();
    for (std::int64_t c = 0; c < g.in_per_group(); ++c) {
      for (std::int64_t a = 0; a < g.kernel_height; ++a) {
        const std::int64_t y = top + a * g.dilation_height;
        if (y < 0 || y >= g.in_height) continue;
        for (std::int64_t b = 0; b < g.kernel_width; ++b) {
          const std::int64_t x = left + b * g.dilation_width;
          if (x < 0 || x >= g.in_width) continue;
          visit(0, ((first + c) * g.in_height + y) * g.in_width + x,
                coefficient(op.weight, weight_at(g, channel, c, a, b)));
        }
      }
    }
    return coefficient_or_zero(op.bias, channel);
  }

  // The element belongs to what the geometry calls the input. Its terms are all outputs whose windows contain it.
  Interval operator()(const network::TransposedConvolution& op) const {
    const tensor::ConvolutionGeometry& g = op.geometry;
    const std::int64_t plane = g.in_height * g.in_width, channel = element / plane;
    const std::int64_t y = element % plane / g.in_width, x = element % g.in_width;
    const std::int64_t group = channel / g.in_per_group();
    for (std::int64_t a = 0; a < g.kernel_height; ++a) {
      const std::int64_t down = y + g.pad_top - a * g.dilation_height;
      if (down < 0 || down % g.stride_height != 0 || down / g.stride_height >= g.out_height) continue;
      for (std::int64_t b = 0; b < g.kernel_width; ++b) {
        const std::int64_t along = x + g.pad_left - b * g.dilation_width;
        if (along < 0 || along % g.stride_width != 0 || along / g.stride_width >= g.out_width) continue;
        for (std::int64_t o = group * g.out_per_group(); o < (group + 1) * g.out_per_group(); ++o) {
          visit(0, (o * g.out_height + down / g.stride_height) * g.out_width + along / g.stride_width,
                coefficient(op.weight, weight_at(g, o, channel % g.in_per_group(), a, b)));
        }
      }
    }
    return coefficient_or_zero(op.bias, channel);
  }

  Interval operator()(const network::ScaleShift& op) const {
    const std::int64_t channel = element / op.inner % op.channels;
    visit(0, element, coefficient(op.scale, channel));
    return coefficient_or_zero(op.shift, channel);
  }

  Interval operator()(const network::IndexMap& op) const {
    const std::int64_t source = (*op.source)[index(element)];
    if (source < 0) return 0.0;
    const network::Located at = network::locate(source, [&](std::size_t a) { return network.size(node.arguments[a]); });
    visit(at.argument, at.position, 1.0);
    return 0.0;
  }

  Interval operator()(const network::Sum& op) const {
    for (std::size_t a = 0; a < node.arguments.size(); ++a) {
      visit(a, element, coefficient(op.coefficients, static_cast<std::int64_t>(a)));
    }
    return 0.0;
  }

  Interval operator()(const network::Input&) const { return not_affine(); }
  Interval operator()(const network::Relu&) const { return not_affine(); }
  Interval operator()(const network::Maximum&) const { return not_affine(); }

 private:
  static std::int64_t weight_at(const tensor::ConvolutionGeometry& g, std::int64_t out, std::int64_t in, std::int64_t a,
                                std::int64_t b) {
    return ((out * g.in_per_group() + in) * g.kernel_height + a) * g.kernel_width + b;
  }
  Interval not_affine() const { throw InternalError("audit: node '" + node.name + "'", "it has no affine terms"); }
};

}  // namespace

Interval for_each_term(const network::Network& network, network::NodeId id, std::int64_t element,
                       const VisitTerm& visit) {
  const network::Node& node = network.node(id);
  return std::visit(Terms{network, node, element, visit}, node.op);
}

}  // namespace plumb::audit
