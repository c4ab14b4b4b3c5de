// empty_region.h: whether a region contains no point, so that every property holds over it.
//
// The inequalities of a family of directions may exclude every point. An engine then proves `holds` by whichever method
// succeeds first. The verdict should say instead that the region is empty.
//
// Sound: a region counts as empty only if exact or outward-rounded arithmetic proves it, usually by a Farkas ray of a
//        linear program. An empty region may go unnoticed: each part's program has at most ten seconds, and no more
//        than the limits leave.
#pragma once

#include "base/limits.h"
#include "property/region.h"
#include "verdict/decide.h"

namespace plumb::assembly {

inline constexpr const char* kEmptyRegion = "the region is empty";

// Returns false if a limit is reached before the proof is found.
bool is_certainly_empty(const property::Region& region, const Limits& limits = {});

// Wraps an engine so that it answers `holds`, with the reason kEmptyRegion, if the region is certainly empty. With
// `audit`, the engine decides such a query too, and any verdict other than `holds` is returned as it is.
verdict::Decide aware_of_emptiness(verdict::Decide decide, bool audit);

}  // namespace plumb::assembly
