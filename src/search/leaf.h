// leaf.h: a subproblem whose units are all decided, as a linear program.
//
// Over the leaf the network is affine: minimise the functional over u and the units' arguments z, with z_k >= 0 where
// unit k is active, z_k <= 0 where it is not, and all inequalities of the unsafe conjunction.
//
// Sound: the program contains every point of the leaf, rows being relaxed by their errors; it counts as closed only by
//        a bound rebuilt from row multipliers, or by a ray that proves it empty (program/certified_bound.h).
#pragma once

#include <optional>

#include "program/solver.h"
#include "reduction/reduced_network.h"
#include "search/subproblem.h"

namespace plumb {

struct LeafResult {
  double bound = 0;  // proven: the functional is at least this over the leaf; +infinity: the leaf is empty
  std::optional<std::vector<double>> u;  // where the solver found its minimum; without coordinates for a single point
  std::int64_t iterations = 0;
};

// `others` are rows of the network that are at most zero over what is asked.
LeafResult solve_leaf(const Solver& solver, const ReducedNetwork& network, std::span<const Split> splits,
                      std::int64_t functional_row, std::span<const std::int64_t> others, double seconds);

}  // namespace plumb
