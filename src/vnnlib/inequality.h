// inequality.h: a comparison of exact decimals as an inequality of doubles.
//
// In:  form <= 0 with decimal coefficients. Out: the same with coefficients that are doubles exactly, and the bound as
// an exact decimal, so that only the bound is ever rounded, by someone who knows in which direction.
//
// 0.1 y <= 0.3 is y <= 3: multiplied by a power of ten the coefficients are integers, and those of up to 15 digits are
// doubles.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "vnnlib/formula.h"

namespace plumb::vnnlib {

// sum of coefficient * variable <= bound, or <.
struct ExactInequality {
  std::vector<std::pair<Variable, double>> terms;
  Decimal bound;
  bool strict = false;
};

// Nothing if no power of ten makes all coefficients doubles.
std::optional<ExactInequality> exact_inequality(const Comparison& comparison);

// The smallest double that the bound may be replaced by so that nothing is lost, and the largest so that nothing is
// added: for a strict inequality whose strictness is dropped, a double below the bound.
double outer_bound(const Decimal& bound);
double inner_bound(const Decimal& bound, bool drop_strict);

}  // namespace plumb::vnnlib
