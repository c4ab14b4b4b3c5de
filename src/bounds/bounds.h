// bounds.h: bounds on every unit of a network over a region, cheap methods first.
//
// In:  a network (prepared once), a region. Out: a RegionBounds whose store holds every node's bounds.
//
// Progressive: intervals first; backward substitution only for units that intervals leave unstable, and for members of
// a maximum that may still win. Nothing that is already decided is refined.
#pragma once

#include <functional>

#include "base/limits.h"
#include "bounds/backward.h"

namespace plumb::bounds {

struct BoundOptions {
  BoundMethod method = BoundMethod::kLinear;        // interval, or linear after it
  std::int64_t most_bytes = std::int64_t{1} << 30;  // of rows that go backward together; one row goes in any case
  // Beyond its limits nothing more is refined: units keep the bounds that they have, which are valid.
  const Budget* budget = nullptr;
  // Called for each node that a ReLU or maximum reads, when the methods above have bounded it and nothing behind it has
  // been looked at: whoever knows better bounds puts them into the store.
  std::function<void(network::NodeId)> refine_further = {};
};

void compute_bounds(RegionBounds& bounds, const BoundOptions& options);

// The elements of a node that some ReLU or maximum behind it has not decided: unstable, or a possible winner of a
// maximum that has several.
std::vector<bool> open_elements(const RegionBounds& bounds, network::NodeId id);

// Whether intervals are as good as any method: the node is affine in the inputs of a box.
bool is_affine_in_a_box(const RegionBounds& bounds, network::NodeId id);

// The lines of a ReLU or maximum node, from the present bounds of its argument; nothing for other nodes.
void draw_lines(RegionBounds& bounds, network::NodeId id);

// Functionals of the concatenated outputs as rows over their nodes; see output_lower_bounds.
Functionals output_functionals(const RegionBounds& bounds, std::span<const double> functionals);

// Lower bounds on functionals of the concatenated outputs: margins are rows of their own, not differences of bounds.
// `functionals` is row-major, count x output_size. Where two outputs are the same value, the sums of their coefficients
// must be exact (they are for margins, whose coefficients are -1, 0 and 1).
std::vector<double> output_lower_bounds(const RegionBounds& bounds, std::span<const double> functionals);

}  // namespace plumb::bounds
