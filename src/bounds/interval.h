// interval.h: the bounds that interval arithmetic gives for one node, from the bounds of its arguments.
//
// The paper's IA. Affine maps are bounded by W m + b -+ |W| r, with midpoints m and radii r of the arguments. This is
// the result of interval arithmetic, computed by matrix products; their rounding is bounded and added (affine_scale.h).
// Moving elements, ReLU and maximum do not round.
#pragma once

#include "bounds/affine_scale.h"
#include "bounds/bound_store.h"
#include "property/region.h"

namespace plumb::bounds {

struct IntervalBounds {
  std::vector<double> lower, upper;
};

// `map` and `scale` belong to the node if it is affine and are nullptr otherwise; `inputs` is the box around the
// region.
IntervalBounds interval_bounds(const network::Network& network, network::NodeId id, const BoundStore& bounds,
                               const property::Box& inputs, const AffineMap* map, const AffineScale* scale);

}  // namespace plumb::bounds
