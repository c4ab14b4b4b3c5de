// region_bounds.h: what is known about a network over one region, as backward substitution uses it.
#pragma once

#include <optional>
#include <vector>

#include "bounds/affine_scale.h"
#include "bounds/bound_store.h"
#include "bounds/relaxation.h"
#include "bounds/row_block.h"
#include "property/region.h"

namespace plumb::bounds {

// What bounds need of a network, whatever the region. Built once.
class BoundedNetwork {
 public:
  // Keeps a reference: the network must outlive it.
  explicit BoundedNetwork(const network::Network& network);

  const network::Network& network() const { return network_; }
  const Image& image(network::NodeId id) const { return images_[id]; }
  // Null if the node is not affine.
  const AffineMap* map(network::NodeId id) const { return maps_[id] ? &*maps_[id] : nullptr; }

 private:
  const network::Network& network_;
  std::vector<Image> images_;
  std::vector<std::optional<AffineMap>> maps_;
};

// What one region adds: bounds, error weights, lines. Filled node by node, in order.
struct RegionBounds {
  RegionBounds(const BoundedNetwork& network, const property::Region& region);

  const BoundedNetwork& network;
  std::vector<property::SimpleRegion> parts;  // the region's, with l-infinity balls as the boxes they are
  property::Box inputs;                       // around all of it
  BoundStore store;
  // For each affine node: what one unit of a row's coefficient costs in rounding and in the coefficients' errors.
  std::vector<std::vector<double>> error_weight;
  std::vector<double> underflow;  // what products that underflow may lose in one step through the node
  std::vector<AffineScale> scale;
  std::vector<Lines> relu;                         // of each ReLU node
  std::vector<std::vector<MaximumLines>> maximum;  // of each maximum node
  std::vector<std::vector<double>> magnitude;      // of each node's value
  std::vector<double> total_magnitude;             // its sum

  // From the store, once a node's bounds are final or about to be used.
  void set_magnitude(network::NodeId id);
};

}  // namespace plumb::bounds
