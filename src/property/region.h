// region.h: the inputs that a question is about.
//
// A region is a box; an l1, l2 or l-infinity ball intersected with a box; the affine image x + G z of a box or polytope
// of parameters z; a polytope (a box and linear inequalities); or a union of such. Inputs are flat vectors: several
// network inputs are concatenated.
//
// Sound: enclosing_box() and minimum() are rounded outward: no point of the region lies outside the box, and no value
//        of the functional lies below the minimum. A ball's radius is the exact rational that the user wrote.
//        minimiser(), project() and random_point() are approximate. They guide searches; a witness is checked with
//        contains() before it counts.
#pragma once

#include <random>
#include <span>
#include <variant>
#include <vector>

#include "base/rational.h"

namespace plumb::property {

struct Box {
  std::vector<double> lower, upper;  // lower_i <= upper_i, both finite

  std::size_t size() const { return lower.size(); }
};

enum class Norm { kL1, kL2, kLinf };

const char* name_of(Norm norm);  // l1, l2, linf

// {x in domain : |x - centre|_norm <= radius}.
struct Ball {
  Norm norm = Norm::kLinf;
  std::vector<double> centre;
  Rational radius;
  Box domain;
  // Only of l-infinity balls: the radius of each input, none above `radius`. Empty if `radius` is that of all inputs.
  std::vector<Rational> radii = {};

  const Rational& radius_of(std::size_t i) const { return radii.empty() ? radius : radii[i]; }
};

// coefficients . x <= bound.
struct LinearInequality {
  std::vector<double> coefficients;
  double bound = 0;
};

// {offset + G z : z in parameters, every inequality holds at z}; `generator` is row-major, inputs x parameters.
struct AffineImage {
  std::vector<double> offset;
  std::vector<double> generator;
  Box parameters;
  std::vector<LinearInequality> inequalities = {};
};

// {x in box : every inequality holds}.
struct Polytope {
  Box box;
  std::vector<LinearInequality> inequalities;
};

using SimpleRegion = std::variant<Box, Ball, AffineImage, Polytope>;

class Region {
 public:
  // One part, or the union of several. Throws DataError if there are no parts, if their sizes differ, if a part is
  // malformed (lower above upper, a number that is not finite, a negative radius), or if a ball and its domain have no
  // point in common, which is decided exactly. A polytope of inputs or of an image's parameters may be empty: that is
  // an answer, not a mistake.
  explicit Region(SimpleRegion part);
  explicit Region(std::vector<SimpleRegion> parts);

  const std::vector<SimpleRegion>& parts() const { return parts_; }
  std::size_t size() const { return size_; }

 private:
  std::vector<SimpleRegion> parts_;
  std::size_t size_ = 0;
};

// A box that contains the region, rounded outward. Bounds rest on it. It is the smallest such box for boxes, for balls
// whose centre lies in the domain (to the last bit) and for affine images of boxes (up to rounding). For a polytope it
// is the polytope's own box.
Box enclosing_box(const SimpleRegion& region);
Box enclosing_box(const Region& region);

// A box around the coordinates that describe a point of the region: the parameters of an affine image, else the inputs.
Box coordinate_box(const SimpleRegion& region);

// A lower bound on functional . x over the region. It is as tight as rounding allows for boxes, their affine images and
// balls (intersected with their domains). For polytopes and their images it is valid but may be loose: the best bound
// from the box and one inequality with its best multiplier. Returns +infinity if the region is found to be empty, and
// -infinity if numbers overflow.
double minimum(const SimpleRegion& region, std::span<const double> functional);
double minimum(const Region& region, std::span<const double> functional);

// A point where the functional is least, found in plain arithmetic. For a polytope, only its box and the inequality
// that matters most are respected. The point guides a search and proves nothing.
std::vector<double> minimiser(const SimpleRegion& region, std::span<const double> functional);

// Whether the point lies in the region, decided exactly. One kind of region is an exception: for an affine image in
// which an input depends on several parameters, or whose parameters have inequalities, the result is always false.
// Rounded points hardly ever lie on such an image, and deciding it would mean solving a system of linear equations.
// Points of such an image are represented by their parameters instead: z in `parameters` stands for the real point
// offset + G z, and image_of() returns its rounded value. (Making G and the offset the network's first layer, over the
// box of z, asks the same question without this difficulty.)
bool contains(const Region& region, std::span<const double> point);
bool contains(const Region& region, std::span<const float> point);

// Whether z lies in the box of parameters and satisfies their inequalities, decided exactly.
bool contains_parameters(const AffineImage& image, std::span<const double> z);

// The set of all parameters: a box, or a polytope if they have inequalities.
SimpleRegion parameter_region(const AffineImage& image);

// offset + G z, in plain floating-point arithmetic.
std::vector<double> image_of(const AffineImage& image, std::span<const double> parameters);

// The parameters whose image is nearest to the point, as far as a few iterations find them. They lie in
// parameter_region(), up to rounding for a polytope.
std::vector<double> nearest_parameters(const AffineImage& image, std::span<const double> point);

// The nearest point of a part, as far as rounding and a few iterations find it. For boxes and l-infinity balls it
// always lies in the region. So it does for l1 and l2 balls, unless the radius is as small as the rounding errors of
// the centre.
std::vector<double> project(const SimpleRegion& region, std::span<const double> point);
std::vector<double> random_point(const SimpleRegion& region, std::mt19937_64& random);

}  // namespace plumb::property
