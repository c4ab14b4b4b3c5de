#include "vnnlib/input_assertions.h"

#include <algorithm>

namespace plumb::vnnlib {

bool has_output(const Comparison& comparison) {
  return std::ranges::any_of(comparison.form.terms, [](const Term& term) { return term.variable.output; });
}

bool mentions_outputs(const Formula& formula) {
  if (formula.kind == Formula::Kind::kComparison) return has_output(formula.comparison);
  return std::ranges::any_of(formula.parts, mentions_outputs);
}

Formula about_inputs(Formula formula) {
  if (formula.kind == Formula::Kind::kComparison) {
    return has_output(formula.comparison) ? Formula{} : std::move(formula);  // an "and" of nothing is true
  }
  for (Formula& part : formula.parts) part = about_inputs(std::move(part));
  return formula;
}

}  // namespace plumb::vnnlib
