// nearest_doubles.h: the exception that docs/vnnlib.md makes for witnesses.
//
// An input whose bounds have no double between them, such as one that is fixed at 0.1, is the nearest double in a
// witness. Everything else that the property says must hold there exactly.
#pragma once

#include "support/exact_formula.h"

namespace plumb::testing {

// Whether some conjunction of the formula holds at the point, but for bounds of single inputs that have no double
// between them: there the input is one of the two doubles beside them.
bool holds_at_nearest_doubles(const ExactFormula& formula, std::span<const mpq_class> x, std::span<const mpq_class> y);

}  // namespace plumb::testing
