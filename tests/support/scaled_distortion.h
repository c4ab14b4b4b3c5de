// scaled_distortion.h: true minimum distortions where each input has a scale, and the regions that belong to them.
//
// Distances with scales are plain distances of the network that multiplies its inputs by the scales. Scales are powers
// of two here, given by their exponents, so that nothing is rounded on the way there.
#pragma once

#include <cmath>

#include "network/normalised.h"
#include "support/exact_decision.h"
#include "support/random_network.h"

namespace plumb::testing {

inline std::vector<int> random_scale(Random& random, std::int64_t inputs) {
  std::vector<int> exponents;
  for (std::int64_t i = 0; i < inputs; ++i) exponents.push_back(static_cast<int>(uniform(random, -2, 2)));
  return exponents;
}

inline std::vector<Rational> scale_of(const std::vector<int>& exponents) {
  std::vector<Rational> scale;
  for (const int e : exponents)
    scale.push_back(e < 0 ? Rational(1, std::int64_t{1} << -e) : Rational(std::int64_t{1} << e));
  return scale;
}

inline std::optional<ExactDistortion> exact_scaled_distortion(const network::Network& network, property::Box domain,
                                                              const std::vector<int>& exponents,
                                                              std::vector<double> point, property::UnsafeSet unsafe) {
  std::vector<double> divisor;
  for (std::size_t i = 0; i < point.size(); ++i) {
    for (double* x : {&domain.lower[i], &domain.upper[i], &point[i]}) *x = std::ldexp(*x, -exponents[i]);
    divisor.push_back(std::ldexp(1.0, -exponents[i]));
    for (property::Conjunction& conjunction : unsafe.conjunctions) {
      for (property::OutputInequality& inequality : conjunction) {
        if (!inequality.inputs.empty()) inequality.inputs[i] = std::ldexp(inequality.inputs[i], exponents[i]);
      }
    }
  }
  const network::Network scaled = with_normalisation(
      network, network::Coefficients(std::vector<double>(point.size(), 0.0)), network::Coefficients(divisor));
  return exact_distortion(*as_stored(shared(scaled)), domain, property::Norm::kLinf, point, unsafe);
}

}  // namespace plumb::testing
