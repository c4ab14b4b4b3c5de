// input_space.h: the coordinates u in which a reduced network describes its region.
//
// A box is scaled: x_j = centre_j + radius_j u_j with u in [-1, 1]^n. So is an l-infinity ball, and so are the
// parameters z of an affine image x = offset + G z. For other regions u is x itself (or z, if the parameters have
// inequalities), and part() is the region that u ranges over.
//
// Sound: every point of the region is the image of some u with |u_i| <= magnitude(i), and if is_cube(), of some u in
//        the cube.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bounds/backward.h"

namespace plumb::reduction {

// One entry of a row.
struct Entry {
  std::int32_t column = 0;
  double value = 0;

  auto operator<=>(const Entry&) const = default;
};

class InputSpace {
 public:
  // The region must have one part.
  explicit InputSpace(const bounds::RegionBounds& bounds);

  std::int64_t size() const { return static_cast<std::int64_t>(kept_.size()); }
  bool is_cube() const { return !part_; }
  // The region that u ranges over; only if it is not a cube. It is over all network inputs, or over all parameters of
  // an affine image.
  const property::SimpleRegion& part() const { return *part_; }
  // Bounds on u_i.
  double lower(std::int64_t i) const { return is_cube() ? -1 : lower_[static_cast<std::size_t>(scaled_input(i))]; }
  double upper(std::int64_t i) const { return is_cube() ? 1 : upper_[static_cast<std::size_t>(scaled_input(i))]; }
  // An upper bound on |u_i|.
  double magnitude(std::int64_t i) const { return magnitude_[static_cast<std::size_t>(i)]; }

  // Writes the functional row . x, with row over the network's inputs, as terms over u. Adds what does not depend on u
  // to `constant`, and a bound on the rounding to `error`. Coordinates are numbered as they were before keep().
  std::vector<Entry> over_coordinates(std::span<const Entry> row, double& constant, double& error) const;
  std::int64_t all_coordinates() const { return static_cast<std::int64_t>(centre_.size()); }

  // Drops the coordinates that are not listed. A space that is not a cube keeps all of them.
  void keep(std::vector<std::int32_t> coordinates);

  // Coordinate i scales this network input (or parameter), which is centre(i) + radius(i) * u_i.
  std::int32_t scaled_input(std::int64_t i) const { return kept_[static_cast<std::size_t>(i)]; }
  double centre(std::int64_t i) const { return centre_[static_cast<std::size_t>(scaled_input(i))]; }
  double radius(std::int64_t i) const { return radius_[static_cast<std::size_t>(scaled_input(i))]; }

  // The network input at u. It is not rounded into the region; that is left to the witness check. Coordinates that
  // keep() dropped are at their centre.
  std::vector<double> network_input(std::span<const double> u) const;
  // The parameters z at u, for an affine image.
  std::vector<double> parameters(std::span<const double> u) const;
  // Some u whose network_input() is near the given point. For an affine image, the point is given by its parameters.
  std::vector<double> coordinates(std::span<const double> point) const;

 private:
  std::vector<double> centre_, radius_;  // of the box that is scaled; 0 and 1 where u is x
  std::vector<double> lower_, upper_;    // of x, where u is x
  std::vector<double> magnitude_;
  std::vector<double> farthest_;  // upper bounds on |x_j|, or |z_j| for an affine image
  double reach_ = 1;  // 1 + the sum of farthest_, rounded up: the most that an entry's absolute error is multiplied by
  std::vector<std::int32_t> kept_;
  std::optional<property::SimpleRegion> part_;
  std::optional<property::AffineImage> image_;
};

}  // namespace plumb::reduction
