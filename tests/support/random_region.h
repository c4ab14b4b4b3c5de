// random_region.h: small random regions of every kind, for tests that compare with an oracle.
#pragma once

#include "property/region.h"
#include "support/random_network.h"

namespace plumb::testing {

enum class RegionKind { kBox, kLinfBall, kL1Ball, kL2Ball, kAffineImage, kPolytope };
inline constexpr int kRegionKinds = 6;

// Numbers are multiples of 1/8, so that ties happen; a side of a box may have no width. Never empty.
SimpleRegion random_part(Random& random, std::size_t size, RegionKind kind);

// A part of any kind, or a union of up to three.
Region random_region(Random& random, std::size_t size);

}  // namespace plumb::testing
