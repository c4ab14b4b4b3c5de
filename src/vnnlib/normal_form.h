// normal_form.h: a formula as a choice between conjunctions of comparisons.
//
// In:  formulas that all must hold. Out: the conjunctions of which one must hold: their disjunctive normal form.
// Comparisons between constants are decided: a true one is left out, a false one ends its conjunction.
// Bounds: a normal form may be exponentially large. Beyond the limits it is a DataError, not a search for memory.
#pragma once

#include <string>
#include <vector>

#include "vnnlib/formula.h"

namespace plumb::vnnlib {

inline constexpr std::size_t kMaxConjunctions = std::size_t{1} << 17;
inline constexpr std::size_t kMaxComparisons = std::size_t{1} << 25;  // in all conjunctions together

// Points into the formulas.
using Comparisons = std::vector<const Comparison*>;

std::vector<Comparisons> normal_form(const std::vector<const Formula*>& conjuncts, const std::string& name);

}  // namespace plumb::vnnlib
