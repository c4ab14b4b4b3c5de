// backward.h: lower bounds on linear functionals of a node, by substituting backward to the inputs.
//
// In:  functionals over one node (or over the network's outputs); bounds of all nodes before it.
// Out: for each functional, a number that it never goes below over the region.
//
// A row of coefficients moves from each node to its arguments: through affine maps exactly, through ReLU and maximum
// along the line that is valid for the sign of its coefficient. What remains is a row over the inputs, a constant, and
// a bound on all rounding on the way; the region gives the minimum of the row.
//
// Sound:  valid for the real-valued network, whatever the rounding (affine_scale.h says how it is bounded).
// Trusts: the bounds in the store.
// Follows: Fast-Lin and CROWN (Weng et al. 2018, Zhang et al. 2018), with local windows for convolutions.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "bounds/affine_scale.h"
#include "bounds/bound_store.h"
#include "bounds/relaxation.h"
#include "bounds/row_block.h"
#include "property/region.h"

namespace plumb {

// What bounds need of a network, whatever the region. Built once.
class BoundedNetwork {
 public:
  // Keeps a reference: the network must outlive it.
  explicit BoundedNetwork(const Network& network);

  const Network& network() const { return network_; }
  const Image& image(NodeId id) const { return images_[id]; }
  // Null if the node is not affine.
  const AffineMap* map(NodeId id) const { return maps_[id] ? &*maps_[id] : nullptr; }

 private:
  const Network& network_;
  std::vector<Image> images_;
  std::vector<std::optional<AffineMap>> maps_;
};

// What one region adds: bounds, error weights, lines. Filled node by node, in order.
struct RegionBounds {
  RegionBounds(const BoundedNetwork& network, const Region& region);

  const BoundedNetwork& network;
  std::vector<SimpleRegion> parts;  // the region's, with l-infinity balls as the boxes they are
  Box inputs;                       // around all of it
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
  void set_magnitude(NodeId id);
};

// Linear functionals, each the sum of its rows over several nodes and a constant, up to an error. Every block has
// `count` rows; constants and errors are zero where they are left out.
struct Functionals {
  std::int64_t count = 0;
  std::map<NodeId, RowBlock> rows;
  std::vector<double> constants, errors;
};

// +x, and then -x where both signs are wanted, for elements of a node: the given channels at one place of its image.
// Behind a convolution or a dense map these are rows of weights, which need no arithmetic.
enum class Signs { kPlus, kPlusAndMinus };

Functionals unit_functionals(const RegionBounds& bounds, NodeId id, std::int64_t y, std::int64_t x,
                             const std::vector<std::int64_t>& channels, Signs signs);

// The ReLU units and maxima that are not decided over the region, numbered, those of earlier nodes first.
struct Kinks {
  std::vector<std::vector<std::int32_t>> variable;  // of each element of a ReLU or maximum node; -1 if it is decided
  std::int64_t count = 0;
};

Kinks undecided_kinks(const RegionBounds& bounds);

// Functionals as rows over the inputs and over the values of undecided units. Decided units are substituted exactly and
// nothing is relaxed: at every point of the region the functional's value differs from
// inputs . x + variables . (values of the undecided units) + constant by at most the error.
struct SubstitutedRows {
  std::map<NodeId, RowBlock> inputs;      // over input nodes
  std::vector<double> variables;          // count x kinks.count
  std::vector<double> constants, errors;  // one a row
};

SubstitutedRows substitute(const RegionBounds& bounds, const Kinks& kinks, Functionals functionals);

// Lower bounds on the functionals, in order; minus infinity where none can be given.
std::vector<double> lower_bounds(const RegionBounds& bounds, Functionals functionals);

}  // namespace plumb
