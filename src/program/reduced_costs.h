// reduced_costs.h: what row multipliers leave of an objective, in plain arithmetic.
//
// For looking at a solver's claims and for choosing columns; certified_bound.h is what proves.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "program/program.h"

namespace plumb::program {

// A sum with the size of its terms: rounding and tolerances move it in proportion to that.
struct SizedSum {
  double value = 0, scale = 1;

  void add(double term) {
    value += term;
    scale += std::abs(term);
  }
};

// costs - A^T y, a number a variable.
std::vector<SizedSum> reduced_costs(const Program& program, std::span<const double> costs, std::span<const double> y);

}  // namespace plumb::program
