// vnnlib_text.h: formulas written as VNN-LIB, in randomly chosen equivalent ways.
//
// In:  a formula whose numbers are finite decimals.
// Out: a property that means exactly that formula.
//
// The writer chooses at random between equivalent forms: nested and flat sums, differences, products in either order,
// terms split into several, comparisons from either side, plain decimals and exponents, one assertion or many, version
// 1.0 or 2.0.
#pragma once

#include <string>

#include "support/exact_formula.h"
#include "support/random_network.h"

namespace plumb::testing {

// The number as a decimal, without rounding. Throws std::logic_error if it is not a finite decimal.
std::string decimal_text(const mpq_class& number);
bool is_decimal(const mpq_class& number);
// The number rounded towards zero to `digits` digits after the decimal point.
mpq_class cut_decimal(const mpq_class& number, int digits);

std::string vnnlib_text(Random& random, const ExactFormula& formula, std::size_t inputs, std::size_t outputs);

}  // namespace plumb::testing
