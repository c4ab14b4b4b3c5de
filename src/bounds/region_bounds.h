// region_bounds.h: what backward substitution needs to know about a network and a region.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bounds/affine_scale.h"
#include "bounds/bound_store.h"
#include "bounds/relaxation.h"
#include "bounds/row_block.h"
#include "property/region.h"

namespace plumb::bounds {

// The data that do not depend on the region. Built once per network.
class BoundedNetwork {
 public:
  explicit BoundedNetwork(std::shared_ptr<const network::Network> network);

  const network::Network& network() const { return *network_; }
  const std::shared_ptr<const network::Network>& shared_network() const { return network_; }
  const Image& image(network::NodeId id) const { return images_[id]; }
  // nullptr if the node is not affine.
  const AffineMap* map(network::NodeId id) const { return maps_[id] ? &*maps_[id] : nullptr; }

 private:
  std::shared_ptr<const network::Network> network_;
  std::vector<Image> images_;
  std::vector<std::optional<AffineMap>> maps_;
};

// The data of one region: bounds, error weights, lines. Filled node by node, in order.
struct RegionBounds {
  RegionBounds(std::shared_ptr<const BoundedNetwork> network, const property::Region& region);

  std::shared_ptr<const BoundedNetwork> network;
  std::vector<property::SimpleRegion> parts;  // of the region; l-infinity balls are converted to boxes
  property::Box inputs;                       // a box around all parts
  BoundStore store;
  // For each element of an affine node: the error that a coefficient of 1 adds when a row moves through the node, from
  // rounding and from errors of the node's coefficients.
  std::vector<std::vector<double>> error_weight;
  std::vector<double> underflow;  // of each affine node: the error that underflow adds in one step
  std::vector<AffineScale> scale;
  std::vector<Lines> relu;                         // of each ReLU node
  std::vector<std::vector<MaximumLines>> maximum;  // of each maximum node
  std::vector<std::vector<double>> magnitude;      // of each node's value
  std::vector<double> total_magnitude;             // the sum of these over the node's elements

  // Sets a node's magnitudes from its bounds in the store. Call it when these are final or about to be used.
  void set_magnitude(network::NodeId id);
};

}  // namespace plumb::bounds
