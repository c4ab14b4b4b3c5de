// outer_approximation.h: solves programs with a convex diagonal quadratic objective by a solver for linear objectives.
//
// In:  a Solver for linear and integer programs.
// Out: a Solver that takes quadratic objectives too, with and without integer variables.
//
// Each square q t^2 is replaced by a variable s >= 0 that lies above tangents of the square: q t^2 >= 2 q p t - q p^2,
// with equality at t = p. The resulting program is a relaxation, so its bound is valid. Its point is feasible for the
// original program, so the true objective there is an upper bound. Tangents are added at each point found until the two
// bounds meet within the gaps of the request. (Duran, Grossmann 1986. For separable objectives, one epigraph variable
// per term is far tighter than one for the sum.)
//
// Between the rounds, the integer variables are fixed at their values at the point, and the remaining continuous
// program is solved. This finds good points early.
#pragma once

#include <memory>

#include "program/solver.h"

namespace plumb::solvers {

std::unique_ptr<const program::Solver> make_outer_approximation(std::unique_ptr<const program::Solver> linear);

}  // namespace plumb::solvers
