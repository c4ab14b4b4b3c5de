// region_steps.h: how a gradient attack moves inside a region.
//
// In:  a part of a region. Out: starting points, and points a step further along a gradient, projected back.
//
// The variables are what is moved: the inputs, or the parameters z of an affine image. Steps are those of steepest
// ascent in the norm that bounds the region:
// - boxes, l-infinity balls and polytopes: every variable moves by the same share of its width;
// - l2 balls: the step follows the gradient;
// - l1 balls: the variables with the largest gradients move, each up to the end of its domain.
//
// Nothing here is rigorous: witness_check.h confirms what an attack finds.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "property/region.h"

namespace plumb::attack {

class RegionSteps {
 public:
  explicit RegionSteps(property::SimpleRegion part);

  // The point of the part that is nearest to the centre of its ball or box.
  std::vector<double> middle() const;
  std::vector<double> random(std::mt19937_64& random) const;

  // The inputs that the variables stand for.
  std::vector<double> inputs_of(std::span<const double> variables) const;

  // Takes a step of `size` times the part's radius (half its width) that increases a function of the inputs with this
  // gradient.
  std::vector<double> step(std::span<const double> variables, std::span<const double> gradient, double size) const;
  // The same in a random direction, for points where the gradient is of no use.
  std::vector<double> random_step(std::span<const double> variables, double size, std::mt19937_64& random) const;

 private:
  std::vector<double> moved(std::span<const double> variables, std::span<const double> gradient, double size) const;

  property::SimpleRegion part_;
  property::SimpleRegion movable_;  // what the variables range over
  std::vector<double> half_width_;  // of the variables
};

// Converts a gradient with respect to the inputs to one with respect to the parameters of an affine image.
std::vector<double> gradient_by_parameters(const property::AffineImage& image, std::span<const double> gradient);

}  // namespace plumb::attack
