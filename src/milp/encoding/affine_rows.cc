#include "milp/encoding/affine_rows.h"

#include "base/error.h"

namespace plumb::milp {
namespace {

double bias_of(const network::Coefficients& bias, std::int64_t i) { return bias.empty() ? 0.0 : bias[i]; }

// The position on the other side of a convolution that belongs to an offset in the kernel, and whether it is inside.
struct Position {
  std::int64_t at = 0;
  bool inside = false;
};

Position read_by(std::int64_t out, std::int64_t stride, std::int64_t pad, std::int64_t offset, std::int64_t size) {
  const std::int64_t at = out * stride - pad + offset;
  return {at, at >= 0 && at < size};
}

// The inverse: which output reads position `in` with that offset.
Position reader_of(std::int64_t in, std::int64_t stride, std::int64_t pad, std::int64_t offset, std::int64_t size) {
  const std::int64_t scaled = in + pad - offset;
  if (scaled < 0 || scaled % stride != 0) return {};
  return {scaled / stride, scaled / stride < size};
}

struct Rows {
  const network::Node& node;
  std::int64_t element;

  AffineRow operator()(const network::Dense& op) const {
    const std::int64_t row = element / op.outputs, output = element % op.outputs;
    AffineRow result{{}, bias_of(op.bias, output)};
    for (std::int64_t i = 0; i < op.inputs; ++i) {
      result.weights.push_back({node.arguments[0], row * op.inputs + i, op.weight[output * op.inputs + i]});
    }
    return result;
  }

  AffineRow operator()(const network::Convolution& op) const {
    const tensor::ConvolutionGeometry& g = op.geometry;
    const std::int64_t channel = element / (g.out_height * g.out_width), place = element % (g.out_height * g.out_width);
    const std::int64_t first = channel / g.out_per_group() * g.in_per_group();
    AffineRow result{{}, bias_of(op.bias, channel)};
    for_each_offset(g, [&](std::int64_t c, std::int64_t ky, std::int64_t kx, std::int64_t in_kernel) {
      const Position y = read_by(place / g.out_width, g.stride_height, g.pad_top, ky * g.dilation_height, g.in_height);
      const Position x = read_by(place % g.out_width, g.stride_width, g.pad_left, kx * g.dilation_width, g.in_width);
      if (!y.inside || !x.inside) return;
      result.weights.push_back({node.arguments[0], ((first + c) * g.in_height + y.at) * g.in_width + x.at,
                                op.weight[channel * g.window() + in_kernel]});
    });
    return result;
  }

  // The node's value is what the convolution of `geometry` reads: each element collects from all outputs that read it.
  AffineRow operator()(const network::TransposedConvolution& op) const {
    const tensor::ConvolutionGeometry& g = op.geometry;
    const std::int64_t channel = element / (g.in_height * g.in_width), place = element % (g.in_height * g.in_width);
    const std::int64_t group = channel / g.in_per_group();
    AffineRow result{{}, bias_of(op.bias, channel)};
    for_each_offset(g, [&](std::int64_t c, std::int64_t ky, std::int64_t kx, std::int64_t in_kernel) {
      if (c != channel % g.in_per_group()) return;
      const Position y =
          reader_of(place / g.in_width, g.stride_height, g.pad_top, ky * g.dilation_height, g.out_height);
      const Position x = reader_of(place % g.in_width, g.stride_width, g.pad_left, kx * g.dilation_width, g.out_width);
      if (!y.inside || !x.inside) return;
      for (std::int64_t o = group * g.out_per_group(); o < (group + 1) * g.out_per_group(); ++o) {
        result.weights.push_back(
            {node.arguments[0], (o * g.out_height + y.at) * g.out_width + x.at, op.weight[o * g.window() + in_kernel]});
      }
    });
    return result;
  }

  AffineRow operator()(const network::ScaleShift& op) const {
    const std::int64_t channel = element / op.inner % op.channels;
    return {{{node.arguments[0], element, op.scale[channel]}}, bias_of(op.shift, channel)};
  }

  AffineRow operator()(const network::Sum& op) const {
    AffineRow result;
    for (std::size_t a = 0; a < node.arguments.size(); ++a) {
      result.weights.push_back({node.arguments[a], element, op.coefficients[static_cast<std::int64_t>(a)]});
    }
    return result;
  }

  AffineRow operator()(const network::Input&) const { return none(); }
  AffineRow operator()(const network::Constant&) const { return none(); }
  AffineRow operator()(const network::IndexMap&) const { return none(); }
  AffineRow operator()(const network::Relu&) const { return none(); }
  AffineRow operator()(const network::Maximum&) const { return none(); }

 private:
  [[noreturn]] AffineRow none() const { throw InternalError(node.name, "is not an affine operation"); }

  template <class Visit>
  static void for_each_offset(const tensor::ConvolutionGeometry& g, Visit visit) {
    std::int64_t in_kernel = 0;
    for (std::int64_t c = 0; c < g.in_per_group(); ++c) {
      for (std::int64_t ky = 0; ky < g.kernel_height; ++ky) {
        for (std::int64_t kx = 0; kx < g.kernel_width; ++kx) visit(c, ky, kx, in_kernel++);
      }
    }
  }
};

}  // namespace

AffineRow affine_row(const network::Network& network, network::NodeId id, std::int64_t element) {
  return std::visit(Rows{network.node(id), element}, network.node(id).op);
}

}  // namespace plumb::milp
