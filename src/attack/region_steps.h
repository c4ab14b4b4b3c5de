// region_steps.h: how a gradient attack moves inside a region.
//
// In:  a part of a region. Out: starting points, and points a step further along a gradient, projected back.
//
// Variables are what is moved: the inputs, or the parameters z of an affine image. Steps are those of steepest ascent
// in the norm that bounds the region: all inputs by their share of the width (boxes, l-infinity balls, polytopes),
// along the gradient (l2), the inputs that gain most up to the end of their domain (l1).
//
// Not sound, and not meant to be: what an attack finds is confirmed elsewhere (witness_check.h).
#pragma once

#include <random>
#include <span>
#include <vector>

#include "property/region.h"

namespace plumb::attack {

class RegionSteps {
 public:
  explicit RegionSteps(property::SimpleRegion part);

  // The centre of a ball or of a box, as near as the part allows.
  std::vector<double> middle() const;
  std::vector<double> random(std::mt19937_64& random) const;

  // The inputs that variables stand for.
  std::vector<double> inputs_of(std::span<const double> variables) const;

  // A step of `size` times the part's radius (half its width) that increases what has this gradient by the inputs.
  std::vector<double> step(std::span<const double> variables, std::span<const double> gradient, double size) const;
  // The same in a random direction, for where the gradient is zero.
  std::vector<double> random_step(std::span<const double> variables, double size, std::mt19937_64& random) const;

 private:
  std::vector<double> moved(std::span<const double> variables, std::span<const double> gradient, double size) const;

  property::SimpleRegion part_;
  property::SimpleRegion movable_;  // what the variables range over
  std::vector<double> half_width_;  // of the variables
};

// The gradient by the parameters of an affine image, from that by the inputs.
std::vector<double> gradient_by_parameters(const property::AffineImage& image, std::span<const double> gradient);

}  // namespace plumb::attack
