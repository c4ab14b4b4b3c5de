// direct_form.h: an activation as its file defines it, for evaluation.
//
// A network is made of a few operations (op.h), and activations are lowered to them:
//   leaky ReLU   slope x + (1 - slope) relu(x)
//   lower limit  c + relu(x - c)
// Over the reals these are the same functions. In floating point they suffer from cancellation: with a slope of 1e20
// the first is 0 at x = 0.5, and the second loses the digits of x below those of c. The last node of such a lowering
// therefore also keeps the activation itself, and evaluators use that. Proofs use the operations, and bound their
// rounding.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "network/coefficients.h"

namespace plumb::network {

// y_i = x_i where x_i >= 0, slope_i x_i elsewhere. LeakyRelu, PRelu, and Abs (slope -1).
struct LeakyForm {
  Coefficients slope;  // one for all elements, or one per element
};

// y_i = max(x_i, limit_i). Clip, Max and Min with constants.
struct LowerLimitForm {
  Coefficients limit;  // one for all elements, or one per element
};

using Activation = std::variant<LeakyForm, LowerLimitForm>;

struct DirectForm {
  std::size_t argument = 0;  // the node whose value is x
  Activation function;
};

// y = f(x), where x and y hold several values of `size` elements each, one after the other.
template <class Real>
void evaluate_activation(const Activation& f, std::int64_t size, std::span<const Real> x, std::span<Real> y);

// Adds f'(x) y_gradient to x_gradient. At a kink, f' is the slope on one side.
template <class Real>
void add_activation_gradient(const Activation& f, std::int64_t size, std::span<const Real> x,
                             std::span<const Real> y_gradient, std::span<Real> x_gradient);

}  // namespace plumb::network
