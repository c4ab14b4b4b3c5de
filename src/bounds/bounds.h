// bounds.h: bounds on every unit of a network over a region, cheap methods first.
//
// In:  a network (prepared once), a region. Out: a RegionBounds whose store holds every node's bounds.
//
// Intervals bound all elements first. Backward substitution then refines only elements whose ReLU is undecided, and
// members of a maximum that may still be the largest. Nothing that is already decided is refined.
#pragma once

#include <functional>

#include "base/limits.h"
#include "bounds/backward.h"

namespace plumb::bounds {

// Forward forms (forward_forms.h), for regions with few inputs: they decide most elements, and backward passes the
// rest. kWherePays: for nodes with many undecided elements.
enum class ForwardUse { kNever, kWherePays, kAlways };

struct BoundOptions {
  BoundMethod method = BoundMethod::kLinear;        // kInterval, or kLinear: intervals, then backward substitution
  std::int64_t most_bytes = std::int64_t{1} << 30;  // of rows in one backward pass; there is always at least one row
  ForwardUse forward = ForwardUse::kWherePays;
  // Once it has reached a limit, nothing more is refined: elements keep the valid bounds that they have. nullptr means
  // no limit.
  const Budget* budget = nullptr;
  int threads = 1;  // of backward passes; the bounds are the same for any number. 0: one per core
  // Whether the store holds what kInterval found. It is then used until something is tighter.
  bool has_intervals = false;
  // Called for each node that a ReLU or maximum reads, after the methods above have bounded it and before any later
  // node is bounded. It may put tighter bounds into the store.
  std::function<void(network::NodeId)> refine_further = {};
};

void compute_bounds(RegionBounds& bounds, const BoundOptions& options);

// Marks the elements of a node that an undecided ReLU reads, and the members of undecided maxima that may be the
// largest.
std::vector<bool> open_elements(const RegionBounds& bounds, network::NodeId id);

// Whether the node is an affine map of inputs that range over a box. Then no method gives tighter bounds than
// intervals.
bool is_affine_in_a_box(const RegionBounds& bounds, network::NodeId id);

// Computes the lines of a ReLU or maximum node from the present bounds of its argument. Does nothing for other nodes.
void draw_lines(RegionBounds& bounds, network::NodeId id);

// Functionals of the concatenated outputs as rows over their nodes; see output_lower_bounds.
Functionals output_functionals(const RegionBounds& bounds, std::span<const double> functionals);

// Lower bounds on functionals of the concatenated outputs. Each functional is one row, which is tighter than a
// combination of the outputs' bounds. `functionals` is row-major, count x output_size. Where two outputs are the same
// node, the sums of their coefficients must be exact (they are for margins, whose coefficients are -1, 0 and 1).
std::vector<double> output_lower_bounds(const RegionBounds& bounds, std::span<const double> functionals);

}  // namespace plumb::bounds
