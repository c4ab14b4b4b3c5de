// direct_form.h: an activation as its file defines it, for evaluation.
//
// A network is made of a few operations (op.h), and activations are lowered to them: a leaky ReLU to
// slope x + (1 - slope) relu(x), a lower limit to c + relu(x - c). Over the reals these are the same function. In
// floating point they cancel: with a slope of 1e20 the first is 0 at x = 0.5, and the second loses the digits of x
// below those of c. The node that ends such a lowering therefore keeps the activation itself, and evaluators use that.
// Whoever proves something uses the operations, whose rounding it bounds.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "network/coefficients.h"

namespace plumb::network {

// y_i = x_i where x_i >= 0, slope_i x_i elsewhere. LeakyRelu, PRelu; Abs with the slope -1.
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

// y = f(x) for several values of `size` elements, one after the other.
template <class Real>
void evaluate_activation(const Activation& f, std::int64_t size, std::span<const Real> x, std::span<Real> y);

// Adds f'(x) y_gradient to x_gradient. Where f has no derivative it is the slope of one side.
template <class Real>
void add_activation_gradient(const Activation& f, std::int64_t size, std::span<const Real> x,
                             std::span<const Real> y_gradient, std::span<Real> x_gradient);

}  // namespace plumb::network
