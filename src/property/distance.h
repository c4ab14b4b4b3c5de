// distance.h: an upper bound on the distance of a point from a centre.
//
// Sound: the result is not below the true distance in real arithmetic, so it may be reported as an upper bound on a
//        minimum distortion. For l-infinity without scales it is the smallest such double. In every norm, a distance of
//        zero is returned as zero.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "property/region.h"

namespace plumb::property {

// How distances are measured: in a norm of the change, after the change of each input has been divided by its scale.
struct Metric {
  Metric() = default;
  // Implicit: a norm is a metric without scales.
  Metric(Norm the_norm, std::vector<Rational> scales = {}) : norm(the_norm), scale(std::move(scales)) {}

  Norm norm = Norm::kLinf;
  // Only for l-infinity: one number >= 0 per input, 0 for an input that must not change. Empty means that all are 1.
  std::vector<Rational> scale = {};
};

// Infinite if an input with scale 0 differs.
double distance(const Metric& metric, std::span<const double> centre, std::span<const double> point);

}  // namespace plumb::property
