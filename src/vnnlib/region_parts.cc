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

// An upper bound on coefficient * x for lower <= x <= upper.
double term_up(double coefficient, double lower, double upper) {
  return product_up(coefficient, coefficient > 0 ? upper : lower);
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

// Derives missing sides from rows: c x + d z <= b with c > 0 implies x <= (b - min d z) / c. Sides that exist are left
// alone. Repeats as long as another side is found.
void RegionParts::bound_by_rows(Part& part) const {
  for (bool gained = true; gained;) {
    gained = false;
    for (const Comparison* comparison : part.rows) {
      const auto& terms = comparison->form.terms;
      for (const Term& wanted : terms) {
        Sides& sides = part.sides[wanted.variable.index];
        std::optional<Side>& side = wanted.coefficient.is_negative() ? sides.lower : sides.upper;
        if (side) continue;
        // An upper bound on -(constant + the other terms).
        double most = (-comparison->form.constant).round_up();
        for (const Term& other : terms) {
          if (&other == &wanted) continue;
          const Sides& known = part.sides[other.variable.index];
          const double lower = outer_lower(known), upper = outer_upper(known);
          const Decimal negated = -other.coefficient;
          const double product =
              std::max(term_up(negated.round_down(), lower, upper), term_up(negated.round_up(), lower, upper));
          most = std::isfinite(product) ? sum_up(most, product) : kInfinity;
          if (most == kInfinity) break;
        }
        if (!std::isfinite(most)) continue;
        const double low = most / wanted.coefficient.round_down(), high = most / wanted.coefficient.round_up();
        const double bound =
            wanted.coefficient.is_negative() ? round_down(std::min(low, high)) : round_up(std::max(low, high));
        if (!std::isfinite(bound)) continue;
        side = Side{Decimal::exactly(bound), false};
        gained = true;
      }
    }
  }
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
