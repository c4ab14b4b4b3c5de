// region_minimum.h: the least value of a functional over a region, once more and simply.
//
// Every rule is weak duality with some multiplier: a rough search in plain double chooses it, intervals evaluate the
// bound that it gives. A bad choice gives a low bound, never a wrong one.
#pragma once

#include <span>
#include <vector>

#include "audit/interval.h"
#include "events/events.h"
#include "property/region.h"

namespace plumb::audit {

// on_inputs . x + on_coordinates . u, where coordinate i is as the claims say. `on_region` are multipliers for the
// region's inequalities, tried beside the rule's own; it may be empty.
struct RegionFunctional {
  std::vector<Interval> on_inputs, on_coordinates;
  std::span<const events::CoordinateClaim> coordinates;
  std::span<const double> on_region;
};

// It is at least this over the region.
double minimum(const property::SimpleRegion& region, const RegionFunctional& functional);

// A box around the region's inputs.
std::vector<Interval> box_around(const property::SimpleRegion& region);

// Some inequality holds nowhere in the box that it comes with.
bool is_certainly_empty(const property::SimpleRegion& region);

// False if the point (its parameters, for an affine image) certainly lies outside.
bool may_contain(const property::SimpleRegion& region, std::span<const double> point);

// The network's input at parameters of an affine image.
std::vector<Interval> image_at(const property::AffineImage& image, std::span<const double> parameters);

// The box of a region (of an image's parameters) that may be halved; null for balls.
const property::Box* halved_box(const property::SimpleRegion& region);

// Every point of `part` lies in `piece`: they are the same, or the piece is a box around an l-infinity ball.
bool covers(const property::SimpleRegion& piece, const property::SimpleRegion& part);

// The two halves cover the whole: they differ from it by one coordinate of its box (of its parameters'), at which they
// meet.
bool are_halves(const property::SimpleRegion& whole, const property::SimpleRegion& low,
                const property::SimpleRegion& high);

}  // namespace plumb::audit
