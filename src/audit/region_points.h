// region_points.h: where the points of a region lie, computed simply and independently of property/region.h.
//
// Sound: everything is rounded outward. Points that may belong to the region are never excluded.
#pragma once

#include <span>
#include <vector>

#include "audit/interval.h"
#include "property/region.h"

namespace plumb::audit {

// A box around the region's inputs.
std::vector<Interval> box_around(const property::SimpleRegion& region);

// Whether some inequality holds nowhere in the region's box.
bool is_certainly_empty(const property::SimpleRegion& region);

// Returns false if the point (its parameters, for an affine image) certainly lies outside.
bool may_contain(const property::SimpleRegion& region, std::span<const double> point);

// The network's input at parameters of an affine image.
std::vector<Interval> image_at(const property::AffineImage& image, std::span<const double> parameters);

}  // namespace plumb::audit
