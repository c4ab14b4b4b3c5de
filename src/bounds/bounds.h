// bounds.h: bounds on every unit of a network over a region, cheap methods first.
//
// In:  a network (prepared once), a region. Out: a RegionBounds whose store holds every node's bounds.
//
// Progressive: intervals first; backward substitution only for units that intervals leave unstable, and for members of
// a maximum that may still win. Nothing that is already decided is refined.
#pragma once

#include "bounds/backward.h"

namespace plumb {

struct BoundOptions {
  BoundMethod method = BoundMethod::kLinear;
};

// Why units were not refined, and how many were.
struct BoundStatistics {
  std::int64_t refined = 0;          // rows pairs that went backward
  std::int64_t already_decided = 0;  // stable, or a member that can never win
  std::int64_t affine_in_a_box = 0;  // directly on the inputs of a box: intervals are exact there
};

BoundStatistics compute_bounds(RegionBounds& bounds, const BoundOptions& options);

// Functionals of the concatenated outputs as rows over their nodes; see output_lower_bounds.
Functionals output_functionals(const RegionBounds& bounds, std::span<const double> functionals);

// Lower bounds on functionals of the concatenated outputs: margins are rows of their own, not differences of bounds.
// `functionals` is row-major, count x output_size. Where two outputs are the same value, the sums of their coefficients
// must be exact (they are for margins, whose coefficients are -1, 0 and 1).
std::vector<double> output_lower_bounds(const RegionBounds& bounds, std::span<const double> functionals);

}  // namespace plumb
