// exact_program.h: the minimum of a small program in rational arithmetic, by enumeration.
//
// Every choice of integer values, and for each every set of constraints that may hold with equality: the points where
// the objective is stationary on them are solved for exactly, and the least feasible one is the minimum (the objective
// is convex and the box finite). Exponential: for a handful of variables and rows.
#pragma once

#include <gmpxx.h>

#include <optional>

#include "program/program.h"

namespace plumb::testing {

// Nothing if the program is infeasible. All variable bounds must be finite.
std::optional<mpq_class> exact_minimum(const program::Program& program);

}  // namespace plumb::testing
