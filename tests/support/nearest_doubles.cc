#include "support/nearest_doubles.h"

#include <algorithm>
#include <cmath>

namespace plumb::testing {
namespace {

struct Side {
  mpq_class value;
  bool strict;
};
struct Sides {
  std::optional<Side> low, high;
};

// The bounds that single-input constraints set for each input.
std::vector<Sides> sides_of(const ExactConjunction& conjunction, std::size_t inputs) {
  std::vector<Sides> sides(inputs);
  const auto tighten = [](std::optional<Side>& side, const Side& other, int direction) {
    const int order = side ? direction * cmp(other.value, side->value) : 1;
    if (order > 0 || (order == 0 && other.strict)) side = other;
  };
  for (const ExactConstraint& constraint : conjunction) {
    const auto i = single_input(constraint.sum);
    if (!i) continue;
    const mpq_class& c = constraint.sum.inputs[*i];
    const Side side{-constraint.sum.constant / c, constraint.strict};
    tighten(c > 0 ? sides[*i].high : sides[*i].low, side, c > 0 ? -1 : 1);
  }
  return sides;
}

// The largest double that satisfies an upper bound.
double largest_below(const Side& high) {
  double result = high.value.get_d();
  while (result > high.value || (high.strict && result == high.value)) result = std::nextafter(result, -HUGE_VAL);
  return result;
}

bool is_beside(const Sides& sides, const mpq_class& x) {
  if (!sides.low || !sides.high) return false;
  const double largest = largest_below(*sides.high);
  const bool between = largest > sides.low->value || (largest == sides.low->value && !sides.low->strict);
  return !between && (x == largest || x == std::nextafter(largest, HUGE_VAL));
}

}  // namespace

bool holds_at_nearest_doubles(const ExactFormula& formula, std::span<const mpq_class> x, std::span<const mpq_class> y) {
  const auto conjunctions = conjunctions_of(formula);
  return std::ranges::any_of(conjunctions, [&](const ExactConjunction& conjunction) {
    const std::vector<Sides> sides = sides_of(conjunction, x.size());
    return std::ranges::all_of(conjunction, [&](const ExactConstraint& constraint) {
      const mpq_class value = constraint.sum.at(x, y);
      if (value < 0 || (value == 0 && !constraint.strict)) return true;
      const auto i = single_input(constraint.sum);
      return i && is_beside(sides[*i], x[*i]);
    });
  });
}

}  // namespace plumb::testing
