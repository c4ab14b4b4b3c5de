// inequality.h: a comparison of exact decimals as an inequality of doubles.
//
// In:  form <= 0 with decimal coefficients. Out: an equivalent inequality whose coefficients are exactly doubles. Its
//      bound is an exact decimal: only the bound is ever rounded, by code that knows in which direction.
//
// For example, 0.1 y <= 0.3 becomes y <= 3. Multiplied by a power of ten, the coefficients are integers, and integers
// of up to 15 digits are doubles.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "vnnlib/formula.h"

namespace plumb::vnnlib {

// sum of coefficient * variable <= bound, or < bound if strict. All numbers are those of the comparison times 10^power.
struct ExactInequality {
  std::vector<std::pair<Variable, double>> terms;
  Decimal bound;
  int power = 0;
  bool strict = false;
};

// Nothing if the coefficients are not all doubles, neither as they are nor multiplied by the power of ten that makes
// them integers.
std::optional<ExactInequality> exact_inequality(const Comparison& comparison);

// Doubles that may replace the bound. outer_bound() is the smallest with which no point is lost. inner_bound() is the
// largest with which no point is added; if `drop_strict`, a strict inequality becomes a non-strict one, and the result
// lies below the bound.
double outer_bound(const Decimal& bound);
double inner_bound(const Decimal& bound, bool drop_strict);

}  // namespace plumb::vnnlib
