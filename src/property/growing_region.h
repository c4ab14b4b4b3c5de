// growing_region.h: the inputs within a distance of a sample, for any distance.
//
// In:  a norm, and either a centre with an optional domain, or an affine image. For an image, the norm is that of its
//      parameters. Balls of the l-infinity norm may have scales (distance.h).
// Out: the region of each radius, and the distance of a point.
//
// Sound: within(r) contains every point at a distance of at most r, and distance() is never too small. So a proof about
//        within(r) gives a lower bound on a distortion, and a witness an upper one.
//
// For the l1 norm of an image's parameters, a parameter that can have both signs is replaced by two that are at least
// zero, z = z+ - z-, and the radius bounds the sum of all parameters. Plumb has no region for l2 balls of several
// parameters.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "property/perturbation.h"

namespace plumb::property {

// x rounded down to about 40 bits, so that the radius is exact both as a rational and as a double. Zero unless x > 0.
Rational radius_below(double x);

class GrowingRegion {
 public:
  // Balls around the centre, inside the domain if there is one. Throws DataError if the centre lies outside.
  static GrowingRegion balls(Metric metric, std::vector<double> centre, std::optional<Box> domain);
  // Images of the parameters within a radius of zero. Throws DataError if zero is not among the parameters,
  // ArgumentError for the l2 norm of several parameters.
  static GrowingRegion images(Norm norm, AffineImage whole);
  // Balls or images, depending on the family. A norm ball has its own metric, which replaces `metric`, and the region
  // grows up to its radius. Parameters of images have no scales.
  static GrowingRegion of(const Perturbation& family, const Metric& metric, std::span<const double> sample,
                          const std::optional<ImageShape>& image, const std::optional<Box>& domain);

  SimpleRegion within(const Rational& radius) const;
  // The distance of a point: a network input, or parameters of the image that within() returns.
  double distance(std::span<const double> variables) const;
  bool is_image() const { return image_.has_value(); }

  Norm norm() const { return metric_.norm; }
  bool is_scaled() const { return !metric_.scale.empty(); }
  // The region does not grow beyond this radius. Infinite for balls without a domain.
  double reach() const { return reach_; }
  // The point from which distances are measured: the sample, or parameters that are all zero.
  const std::vector<double>& centre() const { return centre_; }

 private:
  GrowingRegion() = default;
  Ball ball_within(const Rational& radius) const;

  Metric metric_;
  std::vector<double> centre_;
  double reach_ = 0;
  std::optional<Box> domain_;         // of balls
  std::optional<AffineImage> image_;  // if the norm is l1, over parameters that are at least zero
};

}  // namespace plumb::property
