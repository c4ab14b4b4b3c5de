// interval.h: the bounds that interval arithmetic gives for one node, from the bounds of its arguments.
//
// The paper's IA. Affine maps are bounded by midpoint and radius, W m -+ |W| r, which is what interval arithmetic gives
// but in matrix products; the rounding of those products is bounded and added (affine_scale.h). Everything else is
// exact: moving elements, ReLU and maximum do not round.
#pragma once

#include "bounds/affine_scale.h"
#include "bounds/bound_store.h"
#include "property/region.h"

namespace plumb::bounds {

struct IntervalBounds {
  std::vector<double> lower, upper;
};

// `map` and `scale` belong to the node if it is affine and are null otherwise; `inputs` is the box around the region.
IntervalBounds interval_bounds(const network::Network& network, network::NodeId id, const BoundStore& bounds,
                               const property::Box& inputs, const AffineMap* map, const AffineScale* scale);

}  // namespace plumb::bounds
