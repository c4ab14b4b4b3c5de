// exact_rules.h: the affine operations in exact arithmetic, for any type of value, such as intervals or affine
// functions.
//
// A Value can be constructed from an ExactInterval. Two values can be added, and a value can be multiplied by an
// ExactInterval from the left. The code is written for clarity, from the definitions in network/op.h alone. ReLU and
// maximum, which have kinks, are left to the caller.
#pragma once

#include <vector>

#include "base/numbers.h"
#include "network/network.h"
#include "support/exact_evaluator.h"

namespace plumb::testing {

// Calls visit(out element, in element, weight index) for every product of a convolution.
template <class Visit>
void for_each_product(const tensor::ConvolutionGeometry& g, Visit visit) {
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

template <class Value>
struct ExactAffineRules {
  using Values = std::vector<Value>;

  const network::Network& network;
  const Values& inputs;
  std::vector<const Values*> arguments;
  std::int64_t size;

  const Values& x() const { return *arguments[0]; }

  Values operator()(const network::Input& op) const {
    Values y;
    for (std::int64_t i = 0; i < size; ++i) {
      y.push_back(inputs[index(network.input_offset(op.index) + i)]);
    }
    return y;
  }
  Values operator()(const network::Constant& op) const {
    Values y;
    for (std::int64_t i = 0; i < size; ++i) y.push_back(Value(exact(op.values, i)));
    return y;
  }
  Values operator()(const network::Dense& op) const {
    Values y(index(size));
    for (std::int64_t r = 0; r < op.rows; ++r) {
      for (std::int64_t o = 0; o < op.outputs; ++o) {
        Value sum = bias_of(op.bias, o);
        for (std::int64_t i = 0; i < op.inputs; ++i) {
          sum = sum + exact(op.weight, o * op.inputs + i) * x()[index(r * op.inputs + i)];
        }
        y[index(r * op.outputs + o)] = sum;
      }
    }
    return y;
  }
  Values operator()(const network::Convolution& op) const {
    Values y(index(size));
    for (std::int64_t i = 0; i < size; ++i) y[index(i)] = bias_of(op.bias, i / op.geometry.out_positions());
    for_each_product(op.geometry, [&](std::int64_t out, std::int64_t in, std::int64_t w) {
      y[index(out)] = y[index(out)] + exact(op.weight, w) * x()[index(in)];
    });
    return y;
  }
  Values operator()(const network::TransposedConvolution& op) const {
    Values y(index(size));
    const std::int64_t plane = op.geometry.in_height * op.geometry.in_width;
    for (std::int64_t i = 0; i < size; ++i) y[index(i)] = bias_of(op.bias, i / plane);
    for_each_product(op.geometry, [&](std::int64_t out, std::int64_t in, std::int64_t w) {
      y[index(in)] = y[index(in)] + exact(op.weight, w) * x()[index(out)];
    });
    return y;
  }
  Values operator()(const network::ScaleShift& op) const {
    Values y;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t c = i / op.inner % op.channels;
      y.push_back(exact(op.scale, c) * x()[index(i)] + bias_of(op.shift, c));
    }
    return y;
  }
  Values operator()(const network::IndexMap& op) const {
    Values all, y;
    for (const Values* argument : arguments) all.insert(all.end(), argument->begin(), argument->end());
    for (const std::int32_t source : *op.source) y.push_back(source < 0 ? zero() : all[index(source)]);
    return y;
  }
  Values operator()(const network::Sum& op) const {
    Values y(index(size), zero());
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const ExactInterval c = exact(op.coefficients, static_cast<std::int64_t>(a));
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] + c * (*arguments[a])[i];
    }
    return y;
  }

 protected:
  static Value zero() { return Value(ExactInterval{0, 0}); }
  static Value bias_of(const network::Coefficients& bias, std::int64_t i) {
    return bias.empty() ? zero() : Value(exact(bias, i));
  }
};

}  // namespace plumb::testing
