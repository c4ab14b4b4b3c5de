// random_query.h: small random regions of every kind and unsafe sets of every shape, for tests that compare with an
// oracle.
#pragma once

#include "property/region.h"
#include "property/unsafe_set.h"
#include "support/random_network.h"

namespace plumb::testing {

enum class RegionKind { kBox, kLinfBall, kL1Ball, kL2Ball, kAffineImage, kPolytope };
inline constexpr int kRegionKinds = 6;

// All numbers are multiples of 1/8, so that ties happen. A side of a box may have width zero. Never empty.
property::SimpleRegion random_part(Random& random, std::size_t size, RegionKind kind);

// One part of any kind, or a union of up to three parts.
property::Region random_region(Random& random, std::size_t size);

// One to three conjunctions of one to three inequalities with small integer coefficients. Some are strict, and some
// also involve inputs. With tiny_network() and random_region(), about half of the queries have an unsafe point.
property::OutputInequality random_inequality(Random& random, const network::Network& network);
property::UnsafeSet random_unsafe(Random& random, const network::Network& network);

}  // namespace plumb::testing
