// region.h: the inputs that a question is about.
//
// A region is a box; an l1, l2 or l-infinity ball intersected with a box; the affine image x + G z of a box or polytope
// of parameters z; a polytope (a box and linear inequalities); or a union of such. Inputs are flat vectors: several
// network inputs are concatenated.
//
// Sound: enclosing_box() and minimum() are rounded outward: no point of the region lies outside of the box, no value of
//        the functional lies below the minimum. A ball's radius is the exact rational that the user wrote.
// Not sound, and not meant to be: minimiser(), project() and random_point(), which guide searches; a witness is checked
//        with contains() before it counts.
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

// {x in domain : |x - centre|_norm <= radius}.
struct Ball {
  Norm norm = Norm::kLinf;
  std::vector<double> centre;
  Rational radius;
  Box domain;
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
  // One part, or the union of several. Throws DataError if the parts are of different sizes, there are none, or a
  // part is malformed (lower above upper, a number that is not finite, a negative radius), or if a ball and its domain
  // have no point in common, which is decided exactly. A polytope, or that of an image's parameters, may be empty:
  // that is an answer, not a mistake.
  explicit Region(SimpleRegion part);
  explicit Region(std::vector<SimpleRegion> parts);

  const std::vector<SimpleRegion>& parts() const { return parts_; }
  std::size_t size() const { return size_; }

 private:
  std::vector<SimpleRegion> parts_;
  std::size_t size_ = 0;
};

// A box around the region, rounded outward. Bounds rest on it. The smallest for boxes, for balls whose centre lies in
// the domain (to the last bit) and for affine images of boxes (up to rounding); a polytope's own box.
Box enclosing_box(const SimpleRegion& region);
Box enclosing_box(const Region& region);

// A lower bound on functional . x over the region, as tight as rounding allows for boxes, affine images and balls
// (dual norm and domain together, not the domain dropped), and valid for polytopes and their images (from the box and
// from each inequality with its best single multiplier). A region that is certainly empty gives +infinity; numbers
// too large to be computed with give -infinity.
double minimum(const SimpleRegion& region, std::span<const double> functional);
double minimum(const Region& region, std::span<const double> functional);

// Where the functional is least, as far as plain arithmetic finds it (for a polytope: in its box and the inequality
// that matters most). It guides a search and proves nothing.
std::vector<double> minimiser(const SimpleRegion& region, std::span<const double> functional);

// Exact: whether the point, whose coordinates are exact doubles, lies in the region. One kind is an exception: an
// affine image in which an input mixes several parameters, or whose parameters have inequalities. Rounded points hardly
// ever lie on it, and deciding whether they do is a system of linear equations; the answer is false. Such a point is
// known by its parameters instead: z in `parameters` stands for the real point offset + G z, of which image_of() is the
// rounded value. (A network with G and the offset as its first layer, over the box of z, asks the same question without
// that difficulty.)
bool contains(const Region& region, std::span<const double> point);
bool contains(const Region& region, std::span<const float> point);

// Exact: whether z lies in the box of parameters and satisfies their inequalities.
bool contains_parameters(const AffineImage& image, std::span<const double> z);

// What the parameters range over: a box, or a polytope where they have inequalities.
SimpleRegion parameter_region(const AffineImage& image);

// offset + G z, rounded to nearest.
std::vector<double> image_of(const AffineImage& image, std::span<const double> parameters);

// The parameters, inside what they range over (up to rounding, for a polytope), whose image is nearest to the point, as
// far as a few iterations allow.
std::vector<double> nearest_parameters(const AffineImage& image, std::span<const double> point);

// The nearest point of a part, as far as rounding and a few iterations allow. For boxes and l-infinity balls it lies in
// the region exactly; for l1 and l2 balls too, unless the radius is lost beside the centre's last bits.
std::vector<double> project(const SimpleRegion& region, std::span<const double> point);
std::vector<double> random_point(const SimpleRegion& region, std::mt19937_64& random);

}  // namespace plumb::property
