// growing_region.h: the inputs within a distance of a sample, for any distance.
//
// In:  a centre and a norm, inside a domain; or an affine image, whose parameters have the norm.
// Out: the region of each radius; how far a witness is.
//
// Sound: within(r) contains every point at a distance of at most r, and distance() is never too small. So a proof about
//        within(r) is a lower bound on a distortion, and a witness an upper one.
//
// An image's radius in l1: a parameter that may have both signs is replaced by two that may not, z = z+ - z-, and their
// sum is what the radius bounds. l2 balls of several parameters are no region that Plumb has.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "property/perturbation.h"

namespace plumb::property {

// Some 40 bits of x > 0, at most x: a radius that is exact, as a rational and as a double.
Rational radius_below(double x);

class GrowingRegion {
 public:
  // Balls around the centre, inside the domain if there is one. Throws DataError if the centre lies outside.
  static GrowingRegion balls(Norm norm, std::vector<double> centre, std::optional<Box> domain);
  // Images of parameters within a radius of zero, which must be among them (DataError). UsageError for l2 and several
  // parameters.
  static GrowingRegion images(Norm norm, AffineImage whole);
  // Whichever the family asks for. A ball's radius is where the growth ends.
  static GrowingRegion of(const Perturbation& family, Norm norm, std::span<const double> sample,
                          const std::optional<ImageShape>& image, const std::optional<Domain>& domain);

  SimpleRegion within(const Rational& radius) const;
  // Of a point: a network input, or parameters as within() has them.
  double distance(std::span<const double> variables) const;
  bool is_image() const { return image_.has_value(); }

  Norm norm() const { return norm_; }
  // Beyond this radius there is nothing new; infinite without a domain.
  double reach() const { return reach_; }
  // What distances are counted from: the sample, or zeros.
  const std::vector<double>& centre() const { return centre_; }

 private:
  GrowingRegion() = default;

  Norm norm_ = Norm::kLinf;
  std::vector<double> centre_;
  double reach_ = 0;
  std::optional<Box> domain_;         // of balls
  std::optional<AffineImage> image_;  // with every parameter of one sign where the norm is l1
};

}  // namespace plumb::property
