// exact_program.h: the minimum of a small program in rational arithmetic, by enumeration.
//
// For every choice of integer values, all sets of constraints are tried that may hold with equality. The stationary
// points of the objective on each set are computed exactly. The least feasible one is the minimum, because the
// objective is convex and the box is finite. The time is exponential: only for a handful of variables and rows.
#pragma once

#include <gmpxx.h>

#include <optional>

#include "program/program.h"

namespace plumb::testing {

// Empty if the program is infeasible. All variable bounds must be finite.
std::optional<mpq_class> exact_minimum(const program::Program& program);

}  // namespace plumb::testing
