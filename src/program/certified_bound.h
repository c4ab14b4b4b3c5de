// certified_bound.h: lower bounds on a program that hold whatever the solver did.
//
// In:  a program (program.h), which minimises offset + c.x + sum_j q_j x_j^2; any multipliers y of its rows: a solver's
//      duals, or anything else.
// Out: a lower bound on the objective of every feasible point.
//
// Weak duality. Let i run over the rows, a_i.x between row_lower_i and row_upper_i, and let j run over the variables.
// Let A be the matrix of the rows a_i, and d = c - A^T y. Then for every feasible x
//     offset + c.x + sum_j q_j x_j^2  =  offset + y.(A x) + sum_j (d_j x_j + q_j x_j^2)
//                                    >=  offset + sum_i y_i (row_lower_i if y_i > 0, row_upper_i if y_i < 0)
//                                        + sum_j  min over t in [lower_j, upper_j] of  d_j t + q_j t^2.
// Good multipliers make the bound tight; bad ones make it low, never wrong.
//
// Sound:   the bound is evaluated with all rounding errors (base/rounding.h), so it holds in real arithmetic for the
//          numbers that the program stores. Integrality is not used: the bound holds for the relaxation, and so for the
//          program.
// Trusts:  nothing. A multiplier is taken for zero if it is not finite, or if it would need an infinite side of its
//          row.
// Infinite bounds of a variable x_j: if q_j > 0 they do no harm, because the parabola has a least value. If q_j = 0,
//          the result is -infinity unless d_j is certain, after rounding, to be >= 0 (where upper_j is infinite) and <=
//          0 (where lower_j is infinite). For a free variable that means d_j = 0, so the d_j of such variables are
//          computed with care: terms that cancel exactly leave exactly zero.
#pragma once

#include <span>

#include "program/program.h"

namespace plumb::program {

// One multiplier per row, in the order of the rows; InternalError if their number differs. Returns minus infinity if
// the multipliers prove nothing, also after an overflow.
double certified_bound(const Program& program, std::span<const double> row_multipliers);

// Whether these multipliers (one per row, as above) prove that no point satisfies the rows and bounds: with no
// objective and no offset, the bound above is positive. Only this proves a program to be infeasible; a solver's word is
// a claim. False means nothing.
bool proves_infeasible(const Program& program, std::span<const double> ray);

}  // namespace plumb::program
