// nearest_doubles.h: the exception that docs/vnnlib.md makes for witnesses.
//
// An input may have bounds with no double between them, for example when it is fixed at 0.1. A witness then has the
// nearest double instead. Everything else in the property must hold there exactly.
#pragma once

#include "support/exact_formula.h"

namespace plumb::testing {

// Whether some conjunction of the formula holds at the point. An input whose own bounds have no double between them may
// be one of the two doubles next to them.
bool holds_at_nearest_doubles(const ExactFormula& formula, std::span<const mpq_class> x, std::span<const mpq_class> y);

}  // namespace plumb::testing
