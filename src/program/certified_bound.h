// certified_bound.h: lower bounds on a program that hold whatever the solver did.
//
// In:  a program, any multipliers y of its rows: a solver's duals, or anything else.
// Out: a lower bound on the objective of every feasible point.
//
// Weak duality: for every feasible x, with d = c - A^T y,
//     c.x + x.Q x  =  y.(A x) + d.x + x.Q x
//                 >=  sum_i y_i (row_lower_i if y_i > 0, row_upper_i if y_i < 0)
//                     + sum_j  min over [lower_j, upper_j] of  d_j t + q_j t^2.
// Good multipliers make the bound tight; bad ones make it low, never wrong.
//
// Sound:   the bound is evaluated with all rounding errors (base/rounding.h), so it holds in real arithmetic for the
//          numbers that the program stores. Integrality is not used: the bound holds for the relaxation, and so for the
//          program.
// Trusts:  nothing. A multiplier is taken for zero if it is not finite, or if it would need an infinite side of its
//          row.
// Not tight: if a bound of x_j is infinite, the result is -infinity unless the sign of d_j is certain after rounding.
#pragma once

#include <span>

#include "program/program.h"

namespace plumb::program {

double certified_bound(const Program& program, std::span<const double> row_multipliers);

// Whether these multipliers prove that no point satisfies the rows and bounds, in the same arithmetic and with no
// objective. Only this proves a program to be infeasible; a solver's word is a claim.
bool proves_infeasible(const Program& program, std::span<const double> ray);

}  // namespace plumb::program
