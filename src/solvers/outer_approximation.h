// outer_approximation.h: programs with a convex diagonal quadratic objective, on a solver for linear objectives.
//
// In:  a Solver for linear and integer programs.
// Out: a Solver that takes quadratic objectives too, with and without integer variables.
//
// Each square q t^2 is replaced by a variable s >= 0 above its tangents, q t^2 >= 2 q p t - q p^2, with equality at t =
// p. The linear program is a relaxation, so its bound is one; its point, with the true objective, is feasible. Tangents
// are added at each point found until the two meet within the gaps of the request. (Duran, Grossmann 1986; for
// separable objectives one epigraph variable a term is far tighter than one for the sum.)
//
// Between the rounds, the binaries of the point are fixed and the continuous rest is solved to its end, which gives
// good points early.
#pragma once

#include <memory>

#include "program/solver.h"

namespace plumb::solvers {

std::unique_ptr<const program::Solver> make_outer_approximation(std::unique_ptr<const program::Solver> linear);

}  // namespace plumb::solvers
