// empty_region.h: whether a region has no point at all, so that every question about it is answered.
//
// A family of directions may have inequalities that exclude everything. Engines prove anything about it, by whatever
// comes first; people must be told that there was nothing to prove it about.
//
// Sound: a region counts as empty only if exact or outward-rounded arithmetic shows it, as a rule by a Farkas ray of a
//        linear program. One that counts as not empty may still be.
#pragma once

#include "property/region.h"
#include "verdict/decide.h"

namespace plumb::assembly {

inline constexpr const char* kEmptyRegion = "the region is empty";

bool is_certainly_empty(const property::Region& region);

// The engine, but for empty regions, about which everything holds. With an audit the engine is asked all the same.
verdict::Decide aware_of_emptiness(verdict::Decide decide, bool audit);

}  // namespace plumb::assembly
