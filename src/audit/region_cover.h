// region_cover.h: whether regions cover others, decided exactly from their definitions.
#pragma once

#include "property/region.h"

namespace plumb::audit {

// The box of a region (of an image's parameters) that may be halved; nullptr for balls.
const property::Box* halved_box(const property::SimpleRegion& region);

// Whether every point of `part` lies in `piece`: they are the same, or the piece is a box around an l-infinity ball.
bool covers(const property::SimpleRegion& piece, const property::SimpleRegion& part);

// Whether the two halves cover the whole: they differ from it in at most one coordinate of its box (of its parameters'
// box), in which they meet or overlap.
bool are_halves(const property::SimpleRegion& whole, const property::SimpleRegion& low,
                const property::SimpleRegion& high);

}  // namespace plumb::audit
