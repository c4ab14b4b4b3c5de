// bound_cases.h: boxes, and points of them at which bounds are compared with the truth.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "network/evaluator.h"
#include "property/region.h"
#include "support/random_network.h"

namespace plumb::testing {

inline property::Box random_box(Random& random, std::int64_t size) {
  property::Box box;
  std::uniform_real_distribution<double> place(-1, 1);
  const double width = std::pow(10.0, -static_cast<double>(uniform(random, 0, 4)));
  for (std::int64_t i = 0; i < size; ++i) {
    const double a = place(random), b = uniform(random, 0, 5) == 0 ? a : a + width * place(random);
    box.lower.push_back(std::min(a, b));
    box.upper.push_back(std::max(a, b));
  }
  return box;
}

// Corners, points inside, and corners that minimise or maximise the linearisation of some functional.
inline std::vector<std::vector<double>> test_points(Random& random, const network::Network& network,
                                                    const property::Box& box) {
  std::vector<std::vector<double>> points;
  for (int k = 0; k < 4; ++k) {
    std::vector<double> corner(box.size()), inside(box.size());
    for (std::size_t i = 0; i < box.size(); ++i) {
      corner[i] = uniform(random, 0, 1) == 0 ? box.lower[i] : box.upper[i];
      const double t = static_cast<double>(uniform(random, 0, 8)) / 8;
      inside[i] = std::clamp(box.lower[i] + t * (box.upper[i] - box.lower[i]), box.lower[i], box.upper[i]);
    }
    points.push_back(corner);
    const std::vector<double> functional = random_weights(random, network.output_size());
    std::vector<double> output(functional.size()), gradient(inside.size());
    network::Evaluator<double>::Workspace workspace;
    network::Evaluator<double>(shared(network)).evaluate_with_gradient(inside, functional, output, gradient, workspace);
    for (std::size_t i = 0; i < box.size(); ++i) corner[i] = gradient[i] > 0 ? box.lower[i] : box.upper[i];
    points.push_back(corner);
    points.push_back(std::move(inside));
  }
  return points;
}

}  // namespace plumb::testing
