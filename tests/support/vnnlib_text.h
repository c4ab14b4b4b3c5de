// vnnlib_text.h: formulas written as VNN-LIB, each time in another of the ways in which one can be written.
//
// In:  a formula whose numbers are finite decimals. Out: a property that means exactly that formula.
//
// The writer chooses at random between forms that mean the same: nested and flat sums, differences, products in either
// order, terms in several pieces, comparisons from either side, plain decimals and exponents, one assertion or many,
// version 1.0 or 2.0.
#pragma once

#include <string>

#include "support/exact_formula.h"
#include "support/random_network.h"

namespace plumb::testing {

// The number as a decimal, without rounding. Throws std::logic_error if it is none.
std::string decimal_text(const mpq_class& number);
bool is_decimal(const mpq_class& number);
// The decimal of so many digits behind the point that is next to the number, towards zero.
mpq_class cut_decimal(const mpq_class& number, int digits);

std::string vnnlib_text(Random& random, const ExactFormula& formula, std::size_t inputs, std::size_t outputs);

}  // namespace plumb::testing
