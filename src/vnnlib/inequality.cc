#include "vnnlib/inequality.h"
#include "base/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb::vnnlib {
namespace {

bool all_are_doubles(const LinearForm& form, int power) {
  return std::ranges::all_of(form.terms, [power](const Term& term) {
    const Decimal scaled = term.coefficient.times_power_of_ten(power);
    return scaled.is_double() && std::isfinite(scaled.nearest());
  });
}

}  // namespace

std::optional<ExactInequality> exact_inequality(const Comparison& comparison) {
  int power = 0;
  if (!all_are_doubles(comparison.form, 0)) {
    power = std::numeric_limits<int>::min();
    for (const Term& term : comparison.form.terms) power = std::max(power, -term.coefficient.exponent());
    if (!all_are_doubles(comparison.form, power)) return std::nullopt;
  }
  ExactInequality result;
  for (const Term& term : comparison.form.terms) {
    result.terms.emplace_back(term.variable, term.coefficient.times_power_of_ten(power).nearest());
  }
  result.bound = -comparison.form.constant.times_power_of_ten(power);
  result.power = power;
  result.strict = comparison.strict;
  return result;
}

double outer_bound(const Decimal& bound) { return bound.round_up(); }

double inner_bound(const Decimal& bound, bool drop_strict) {
  const double below = bound.round_down();
  const bool step = drop_strict && bound.is_double();
  return step ? std::nextafter(below, -kInfinity) : below;
}

}  // namespace plumb::vnnlib
