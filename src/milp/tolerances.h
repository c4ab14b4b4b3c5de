// tolerances.h: how far solvers' claims may be off, and how often one program is asked again.
#pragma once

#include <cmath>

namespace plumb::milp {

// How far a solver's bound may be off, absolutely and relatively.
inline constexpr double kBoundTolerance = 1e-6;
// A value that the true one is not below, if the solver is within its tolerance.
inline double below_claim(double claimed) { return claimed - kBoundTolerance * (1 + std::abs(claimed)); }

// An l2 ball is no polyhedron: points outside are cut off by tangents, and the solver is asked again, at most so often.
inline constexpr int kMostTangentRounds = 100;
// How far a point may be outside an l2 ball, relative to the squared radius, before tangents are added.
inline constexpr double kSphereTolerance = 1e-9;

}  // namespace plumb::milp
