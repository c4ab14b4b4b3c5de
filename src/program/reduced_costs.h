// reduced_costs.h: reduced costs for given row multipliers, in plain arithmetic.
//
// For checking a solver's claims and for choosing columns. Proofs use certified_bound.h instead.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "program/program.h"

namespace plumb::program {

// A sum, and a magnitude for its rounding errors and tolerances: 1 plus the sum of the terms' absolute values.
struct SumWithMagnitude {
  double value = 0, magnitude = 1;

  void add(double term) {
    value += term;
    magnitude += std::abs(term);
  }
};

// costs - A^T y, one entry per variable.
std::vector<SumWithMagnitude> reduced_costs(const Program& program, std::span<const double> costs,
                                            std::span<const double> y);

}  // namespace plumb::program
