// normal_form.h: the disjunctive normal form of formulas.
//
// In:  formulas that must all hold. Out: conjunctions of comparisons, of which one must hold. Comparisons between
// constants are decided: a true one is left out, a false one removes its conjunction.
// Bounds: a normal form may be exponentially large. One that exceeds the limits below is a DataError.
#pragma once

#include <string>
#include <vector>

#include "vnnlib/formula.h"

namespace plumb::vnnlib {

inline constexpr std::size_t kMaxConjunctions = std::size_t{1} << 17;
inline constexpr std::size_t kMaxComparisons = std::size_t{1} << 25;  // in all conjunctions together

// The pointers point into the formulas.
using Comparisons = std::vector<const Comparison*>;

std::vector<Comparisons> normal_form(const std::vector<const Formula*>& conjuncts, const std::string& name);

}  // namespace plumb::vnnlib
