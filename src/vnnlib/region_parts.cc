#include "vnnlib/region_parts.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/rounding.h"

namespace plumb::vnnlib {
namespace {

void tighten_lower(std::optional<Side>& side, Side other) {
  if (!side || other.value > side->value || (other.value == side->value && other.strict)) side = std::move(other);
}
void tighten_upper(std::optional<Side>& side, Side other) {
  if (!side || other.value < side->value || (other.value == side->value && other.strict)) side = std::move(other);
}

bool is_empty(const Sides& sides) {
  if (!sides.lower || !sides.upper) return false;
  if (sides.lower->value == sides.upper->value) return sides.lower->strict || sides.upper->strict;
  return sides.lower->value > sides.upper->value;
}

double outer_lower(const Sides& sides) { return sides.lower ? sides.lower->value.round_down() : -kInfinity; }
double outer_upper(const Sides& sides) { return sides.upper ? sides.upper->value.round_up() : kInfinity; }

// The smallest double that is not below a / b, for b > 0; infinite or NaN if numbers overflow or b is tiny.
double quotient_up(const Decimal& a, const Decimal& b) {
  if (b.nearest() < 1e-200) return kInfinity;
  // Among tiny numbers, doubles are too few for a quotient of doubles to be near.
  const int power = std::abs(a.nearest()) < 1e-100 ? 300 : 0;
  const double shifted = a.times_power_of_ten(power).nearest() / b.nearest();
  if (!std::isfinite(shifted)) return kInfinity;
  double quotient = Decimal::exactly(shifted).times_power_of_ten(-power).nearest();
  while (std::isfinite(quotient) && Decimal::exactly(quotient) * b < a) quotient = round_up(quotient);
  while (std::isfinite(quotient) && Decimal::exactly(round_down(quotient)) * b >= a) quotient = round_down(quotient);
  return quotient;
}

}  // namespace

RegionParts::RegionParts(std::int64_t inputs, const Comparisons& common, const std::string& name,
                         std::function<std::string(std::int64_t)> input_name)
    : inputs_(inputs), name_(name), input_name_(std::move(input_name)) {
  for (const Comparison* comparison : common) add(common_, *comparison);
}

void RegionParts::add(Part& part, const Comparison& comparison) {
  const LinearForm& form = comparison.form;
  const auto inverse = form.terms.size() == 1 ? form.terms[0].coefficient.reciprocal() : std::nullopt;
  if (!inverse) {
    part.rows.push_back(&comparison);
    return;
  }
  Sides& sides = part.sides[form.terms[0].variable.index];
  Side side{-form.constant * *inverse, comparison.strict};
  if (inverse->is_negative()) {
    tighten_lower(sides.lower, std::move(side));
  } else {
    tighten_upper(sides.upper, std::move(side));
  }
}

// Derives missing sides from rows: c x + d z <= b with c > 0 implies x <= (b - min d z) / c, where z ranges over the
// rounded sides. This is computed exactly and rounded outward once, as the checker of certificates does it too. Sides
// that exist are left alone. Repeats as long as another side is found.
void RegionParts::bound_by_rows(Part& part) const {
  for (bool gained = true; gained;) {
    gained = false;
    for (const Comparison* comparison : part.rows) {
      for (const Term& wanted : comparison->form.terms) {
        Sides& sides = part.sides[wanted.variable.index];
        const bool is_lower = wanted.coefficient.is_negative();
        std::optional<Side>& side = is_lower ? sides.lower : sides.upper;
        if (side) continue;
        const std::optional<Decimal> most = most_without(wanted, *comparison, part);
        if (!most) continue;
        const double bound =
            is_lower ? 0 - quotient_up(*most, -wanted.coefficient) : quotient_up(*most, wanted.coefficient);
        if (!std::isfinite(bound)) continue;
        side = Side{Decimal::exactly(bound), false};
        gained = true;
      }
    }
  }
}

// The largest value of the wanted term that its comparison leaves; nothing if another variable has no bound.
std::optional<Decimal> RegionParts::most_without(const Term& wanted, const Comparison& comparison, Part& part) const {
  Decimal most = -comparison.form.constant;
  for (const Term& other : comparison.form.terms) {
    if (&other == &wanted) continue;
    const Sides& known = part.sides[other.variable.index];
    const double least = other.coefficient.is_negative() ? outer_upper(known) : outer_lower(known);
    if (!std::isfinite(least)) return std::nullopt;
    most = most - other.coefficient * Decimal::exactly(least);
  }
  return most;
}

property::Box RegionParts::enclosing_box(const Part& part) const {
  property::Box box;
  for (std::int64_t i = 0; i < inputs_; ++i) {
    const auto found = part.sides.find(i);
    const Sides sides = found == part.sides.end() ? Sides{} : found->second;
    box.lower.push_back(outer_lower(sides));
    box.upper.push_back(outer_upper(sides));
    const bool below = std::isfinite(box.lower.back()), above = std::isfinite(box.upper.back());
    if (below && above) continue;
    throw DataError(name_,
                    fmt::format("input {} has no {} bound", input_name_(i),
                                below   ? "upper"
                                : above ? "lower"
                                        : "lower and no upper"),
                    "assert bounds for every input");
  }
  return box;
}

property::LinearInequality RegionParts::row(const Comparison& comparison, const property::Box& box, bool inner) const {
  property::LinearInequality result;
  result.coefficients.assign(static_cast<std::size_t>(inputs_), 0.0);
  Decimal bound = -comparison.form.constant;
  if (const auto exact = exact_inequality(comparison)) {
    for (const auto& [variable, c] : exact->terms) result.coefficients[static_cast<std::size_t>(variable.index)] = c;
    bound = exact->bound;
  } else {
    // The coefficients d are rounded to doubles c. This changes a term by at most |c - d| |x|, and the bound moves by
    // as much.
    for (const Term& term : comparison.form.terms) {
      const auto i = static_cast<std::size_t>(term.variable.index);
      const double c = term.coefficient.nearest();
      result.coefficients[i] = c;
      Decimal error = term.coefficient - Decimal::exactly(c);
      if (error.is_negative()) error = -error;
      error = error * Decimal::exactly(std::max(std::abs(box.lower[i]), std::abs(box.upper[i])));
      bound = inner ? bound - error : bound + error;
    }
  }
  result.bound = inner ? inner_bound(bound, comparison.strict) : outer_bound(bound);
  if (!std::isfinite(result.bound)) fail(name_, comparison.at, "a number here is too large for a double");
  return result;
}

std::optional<LoweredPart> RegionParts::part(const Comparisons& comparisons) const {
  Part part = common_;
  for (const Comparison* comparison : comparisons) add(part, *comparison);
  bound_by_rows(part);
  const property::Box outer = enclosing_box(part);
  property::Box inner = outer;
  LoweredPart result;
  for (const auto& [index, sides] : part.sides) {
    if (is_empty(sides)) return std::nullopt;
    const auto i = static_cast<std::size_t>(index);
    inner.lower[i] = 0 - inner_bound(-sides.lower->value, sides.lower->strict);  // not -0
    inner.upper[i] = inner_bound(sides.upper->value, sides.upper->strict);
    if (inner.lower[i] <= inner.upper[i]) continue;
    inner.lower[i] = inner.upper[i] = sides.lower->value.nearest();
    result.nearest.push_back(index);
  }
  if (part.rows.empty()) {
    result.outer = outer;
    result.inner = std::move(inner);
    return result;
  }
  property::Polytope outside{outer, {}}, inside{std::move(inner), {}};
  for (const Comparison* comparison : part.rows) {
    outside.inequalities.push_back(row(*comparison, outer, false));
    inside.inequalities.push_back(row(*comparison, outer, true));
  }
  result.outer = std::move(outside);
  result.inner = std::move(inside);
  return result;
}

}  // namespace plumb::vnnlib
