#include "support/exact_evaluator.h"

#include <algorithm>

namespace plumb::testing {
namespace {

using Values = std::vector<ExactInterval>;

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

const ExactInterval kZero{0, 0};

ExactInterval larger(const ExactInterval& a, const ExactInterval& b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

ExactInterval bias_of(const Coefficients& bias, std::int64_t i) { return bias.empty() ? kZero : exact(bias, i); }

// Calls visit(out element, in element, weight index) for every product of a convolution.
template <class Visit>
void for_each_product(const ConvolutionGeometry& g, Visit visit) {
  for (std::int64_t o = 0; o < g.out_channels; ++o) {
    for (std::int64_t y = 0; y < g.out_height; ++y) {
      for (std::int64_t x = 0; x < g.out_width; ++x) {
        for (std::int64_t c = 0; c < g.in_per_group(); ++c) {
          for (std::int64_t ky = 0; ky < g.kernel_height; ++ky) {
            for (std::int64_t kx = 0; kx < g.kernel_width; ++kx) {
              const std::int64_t in_y = y * g.stride_height + ky * g.dilation_height - g.pad_top;
              const std::int64_t in_x = x * g.stride_width + kx * g.dilation_width - g.pad_left;
              if (in_y < 0 || in_y >= g.in_height || in_x < 0 || in_x >= g.in_width) continue;
              const std::int64_t in_channel = o / g.out_per_group() * g.in_per_group() + c;
              visit((o * g.out_height + y) * g.out_width + x, (in_channel * g.in_height + in_y) * g.in_width + in_x,
                    ((o * g.in_per_group() + c) * g.kernel_height + ky) * g.kernel_width + kx);
            }
          }
        }
      }
    }
  }
}

struct Rule {
  const Network& network;
  const std::vector<mpq_class>& input;
  std::vector<const Values*> arguments;
  std::int64_t size;

  const Values& x() const { return *arguments[0]; }

  Values operator()(const Input& op) const {
    Values y;
    for (std::int64_t i = 0; i < size; ++i) {
      const mpq_class& v = input[index(network.input_offset(op.index) + i)];
      y.push_back({v, v});
    }
    return y;
  }
  Values operator()(const Constant& op) const {
    Values y;
    for (std::int64_t i = 0; i < size; ++i) y.push_back(exact(op.values, i));
    return y;
  }
  Values operator()(const Dense& op) const {
    Values y(index(size));
    for (std::int64_t r = 0; r < op.rows; ++r) {
      for (std::int64_t o = 0; o < op.outputs; ++o) {
        ExactInterval sum = bias_of(op.bias, o);
        for (std::int64_t i = 0; i < op.inputs; ++i) {
          sum = sum + exact(op.weight, o * op.inputs + i) * x()[index(r * op.inputs + i)];
        }
        y[index(r * op.outputs + o)] = sum;
      }
    }
    return y;
  }
  Values operator()(const Convolution& op) const {
    Values y(index(size));
    for (std::int64_t i = 0; i < size; ++i) y[index(i)] = bias_of(op.bias, i / op.geometry.out_positions());
    for_each_product(op.geometry, [&](std::int64_t out, std::int64_t in, std::int64_t w) {
      y[index(out)] = y[index(out)] + exact(op.weight, w) * x()[index(in)];
    });
    return y;
  }
  Values operator()(const TransposedConvolution& op) const {
    Values y(index(size));
    const std::int64_t plane = op.geometry.in_height * op.geometry.in_width;
    for (std::int64_t i = 0; i < size; ++i) y[index(i)] = bias_of(op.bias, i / plane);
    for_each_product(op.geometry, [&](std::int64_t out, std::int64_t in, std::int64_t w) {
      y[index(in)] = y[index(in)] + exact(op.weight, w) * x()[index(out)];
    });
    return y;
  }
  Values operator()(const ScaleShift& op) const {
    Values y;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t c = i / op.inner % op.channels;
      y.push_back(exact(op.scale, c) * x()[index(i)] + bias_of(op.shift, c));
    }
    return y;
  }
  Values operator()(const IndexMap& op) const {
    Values all, y;
    for (const Values* argument : arguments) all.insert(all.end(), argument->begin(), argument->end());
    for (const std::int32_t source : *op.source) y.push_back(source < 0 ? kZero : all[index(source)]);
    return y;
  }
  Values operator()(const Sum& op) const {
    Values y(index(size), kZero);
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const ExactInterval c = exact(op.coefficients, static_cast<std::int64_t>(a));
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] + c * (*arguments[a])[i];
    }
    return y;
  }
  Values operator()(const Relu&) const {
    Values y;
    for (const ExactInterval& v : x()) y.push_back(larger(v, kZero));
    return y;
  }
  Values operator()(const Maximum& op) const {
    Values y;
    for (std::int64_t g = 0; g < op.groups(); ++g) {
      const auto first = (*op.offsets)[index(g)], last = (*op.offsets)[index(g + 1)];
      ExactInterval best = x()[index((*op.members)[index(first)])];
      for (std::int64_t m = first + 1; m < last; ++m) best = larger(best, x()[index((*op.members)[index(m)])]);
      y.push_back(best);
    }
    return y;
  }
};

}  // namespace

ExactInterval operator+(const ExactInterval& a, const ExactInterval& b) {
  return {mpq_class(a.low + b.low), mpq_class(a.high + b.high)};
}

ExactInterval operator*(const ExactInterval& a, const ExactInterval& b) {
  const mpq_class products[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return {*std::min_element(products, products + 4), *std::max_element(products, products + 4)};
}

ExactInterval exact(const Coefficients& coefficients, std::int64_t i) {
  const mpq_class value(coefficients[i]);
  const mpq_class radius =
      mpq_class(coefficients.error().relative) * abs(value) + mpq_class(coefficients.error().absolute);
  return {mpq_class(value - radius), mpq_class(value + radius)};
}

std::vector<Values> exact_values(const Network& network, const std::vector<mpq_class>& input) {
  std::vector<Values> values;
  values.reserve(network.nodes().size());
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    std::vector<const Values*> arguments;
    for (const NodeId argument : network.node(id).arguments) arguments.push_back(&values[argument]);
    values.push_back(std::visit(Rule{network, input, std::move(arguments), network.size(id)}, network.node(id).op));
  }
  return values;
}

std::vector<ExactInterval> exact_outputs(const Network& network, const std::vector<mpq_class>& input) {
  const auto values = exact_values(network, input);
  std::vector<ExactInterval> outputs;
  for (const NetworkOutput& output : network.outputs()) {
    outputs.insert(outputs.end(), values[output.node].begin(), values[output.node].end());
  }
  return outputs;
}

std::vector<mpq_class> exact_point(const std::vector<double>& point) { return {point.begin(), point.end()}; }

}  // namespace plumb::testing
