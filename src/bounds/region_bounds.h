// region_bounds.h: what backward substitution needs to know about a network and a region.
//
// In:  a network (laid out once, as a BoundedNetwork), and a region of one or several parts.
// Out: a RegionBounds: bounds of every node over the region, lines of its ReLUs and maxima, error terms.
//
// Order: the constructor of RegionBounds bounds nothing. compute_bounds() (bounds.h) fills it, node by node, in the
//        order of the nodes. Before it comes to a node, the node's entries are empty and store.has() is false. The
//        steps for node `id` are: error terms (scale, error_weight, underflow) from the magnitudes of its arguments;
//        store.set(); its lines (draw_lines() in bounds.h); tighter bounds; set_magnitude(). Code that tightens bounds
//        in the store later calls draw_lines() for the ReLU or maximum that reads them; the other entries stay valid,
//        if loose.
// Empty region: if store.region_is_empty(), the bounds and lines mean nothing.
// Throws: OverflowError (from the store) if a bound is too large for a double.
// Threads: a BoundedNetwork never changes, so threads may share it. A RegionBounds may be read by several threads while
//        none changes it.
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

// The data that do not depend on the region. Built once per network. Nodes are named by their ids, the positions in
// Network::nodes().
class BoundedNetwork {
 public:
  explicit BoundedNetwork(std::shared_ptr<const network::Network> network);

  const network::Network& network() const { return *network_; }
  const std::shared_ptr<const network::Network>& shared_network() const { return network_; }
  // The image as which row blocks see the node's value (row_block.h).
  const Image& image(network::NodeId id) const { return images_[id]; }
  // The map y = W x + b of an affine node; nullptr for other nodes, among them index maps.
  const AffineMap* map(network::NodeId id) const { return maps_[id] ? &*maps_[id] : nullptr; }

 private:
  std::shared_ptr<const network::Network> network_;
  std::vector<Image> images_;
  std::vector<std::optional<AffineMap>> maps_;
};

// The data of one region. Every vector below except `parts` has one entry per node, at the node's id. The entry is
// empty (or 0) for nodes of another kind.
struct RegionBounds {
  RegionBounds(std::shared_ptr<const BoundedNetwork> network, const property::Region& region);

  std::shared_ptr<const BoundedNetwork> network;
  // The parts of the region. An l-infinity ball is replaced by the box around it, rounded outward.
  std::vector<property::SimpleRegion> parts;
  property::Box inputs;  // a box around all parts, over the concatenated inputs
  BoundStore store;      // bounds over the whole region, that is, over the union of the parts
  // For each element of an affine node: the error that a coefficient of 1 adds when a row moves through the node, from
  // rounding and from errors of the node's coefficients.
  std::vector<std::vector<double>> error_weight;
  std::vector<double> underflow;                   // of each affine node: the error that underflow adds in one step
  std::vector<AffineScale> scale;                  // of each affine node; error_weight is computed from it
  std::vector<Lines> relu;                         // of each ReLU node, one line below and one above per element
  std::vector<std::vector<MaximumLines>> maximum;  // of each maximum node, one entry per element
  // max(|lower|, |upper|) of each element, by the bounds at the time of set_magnitude().
  std::vector<std::vector<double>> magnitude;
  std::vector<double> total_magnitude;  // the sum of the magnitudes of a node's elements, rounded up

  // Sets a node's magnitudes from its bounds in the store. Must be called before rows move through the node or through
  // a later one. Magnitudes from earlier, wider bounds stay valid.
  void set_magnitude(network::NodeId id);
};

}  // namespace plumb::bounds
