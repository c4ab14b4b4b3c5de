// region_minimum.h: the least value of a functional over a region, computed simply and independently of
// property/region.h.
//
// Every rule is weak duality with some multiplier. A rough search in plain double arithmetic chooses the multiplier,
// and interval arithmetic evaluates the bound that it yields. A bad choice yields a low bound, never a wrong one.
#pragma once

#include <span>
#include <vector>

#include "audit/interval.h"
#include "events/events.h"
#include "property/region.h"

namespace plumb::audit {

// The functional on_inputs . x + on_coordinates . u, where `coordinates` says what u is. `on_region` holds multipliers
// for the region's inequalities, which are tried in addition to the rule's own; it may be empty.
struct RegionFunctional {
  std::vector<Interval> on_inputs, on_coordinates;
  std::span<const events::CoordinateClaim> coordinates;
  std::span<const double> on_region;
};

// A lower bound on the functional over the region.
double minimum(const property::SimpleRegion& region, const RegionFunctional& functional);

// A box around the region's inputs.
std::vector<Interval> box_around(const property::SimpleRegion& region);

// Whether some inequality holds nowhere in the region's box.
bool is_certainly_empty(const property::SimpleRegion& region);

// Returns false if the point (its parameters, for an affine image) certainly lies outside.
bool may_contain(const property::SimpleRegion& region, std::span<const double> point);

// The network's input at parameters of an affine image.
std::vector<Interval> image_at(const property::AffineImage& image, std::span<const double> parameters);

// The box of a region (of an image's parameters) that may be halved; nullptr for balls.
const property::Box* halved_box(const property::SimpleRegion& region);

// Whether every point of `part` lies in `piece`: they are the same, or the piece is a box around an l-infinity ball.
bool covers(const property::SimpleRegion& piece, const property::SimpleRegion& part);

// Whether the two halves cover the whole: they differ from it in at most one coordinate of its box (of its parameters'
// box), in which they meet or overlap.
bool are_halves(const property::SimpleRegion& whole, const property::SimpleRegion& low,
                const property::SimpleRegion& high);

}  // namespace plumb::audit
