// representable.h: points of a region in numbers of the network's input types, which its run time accepts.
//
// In:  a part of a region, the element type of each input, a point near the part.
// Out: a point of the part near it whose coordinates are numbers of these types. A coordinate for which the part leaves
//      no such number (an input fixed at 0.1) keeps a double, and the result says so.
//
// Sound: a result lies in the part exactly, as contains() decides.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "network/network.h"
#include "property/region.h"

namespace plumb::attack {

// The largest finite number of the type that is at most x, and the smallest that is at least x; infinite if there is
// none.
double representable_below(double x, network::ElementType type);
double representable_above(double x, network::ElementType type);
double nearest_representable(double x, network::ElementType type);

// The type of each element of the concatenated inputs.
std::vector<network::ElementType> element_types(const network::Network& network);

struct RepresentablePoint {
  std::vector<double> point;
  bool representable = true;  // every coordinate is a number of its input's type
};

// Built once per part, used for many points. The part must outlive it. Not for affine images, whose points are given by
// their parameters.
class RepresentablePoints {
 public:
  RepresentablePoints(const property::SimpleRegion& part, std::vector<network::ElementType> types);

  // Returns nullopt if no point was found: the part is empty, or too thin for rounded numbers.
  std::optional<RepresentablePoint> nearest(std::span<const double> point) const;

  // The smallest and the largest number of each input's type between the part's sides; lower > upper if there is none.
  const property::Box& limits() const { return limits_; }

 private:
  RepresentablePoint clamped(std::span<const double> point) const;
  std::optional<RepresentablePoint> if_inside(RepresentablePoint candidate) const;
  std::optional<RepresentablePoint> nearest_in(const property::Box& box, std::span<const double> point) const;
  std::optional<RepresentablePoint> nearest_in(const property::Ball& ball, std::span<const double> point) const;
  std::optional<RepresentablePoint> nearest_in(const property::Polytope& polytope, std::span<const double> point) const;
  std::optional<RepresentablePoint> nearest_in(const property::AffineImage& image, std::span<const double> point) const;
  std::optional<RepresentablePoint> nearest_on_planes(const property::Polytope& polytope,
                                                      std::span<const double> point) const;

  const property::SimpleRegion& part_;
  property::Region region_;  // the part alone, for contains()
  std::vector<network::ElementType> types_;
  property::Box sides_;  // no point of the part lies outside
  property::Box limits_;
};

}  // namespace plumb::attack
