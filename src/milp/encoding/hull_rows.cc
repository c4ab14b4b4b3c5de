#include "milp/encoding/hull_rows.h"

#include <algorithm>
#include <cmath>

#include "base/rounding.h"
#include "reduction/relu_hull.h"

namespace plumb::milp {
namespace {

// A row must be violated by more than this: relative to the upper bound of the unit's value, and as a distance.
constexpr double kLeastViolation = 1e-4, kLeastDistance = 1e-6;
// The share of the violation that may be given up for a shorter row.
constexpr double kGivenUp = 0.1;

double at(std::span<const double> point, program::VariableId variable) {
  return point[static_cast<std::size_t>(variable.index)];
}

// One x_i of the unit's argument.
struct Item {
  program::VariableId variable;
  double w = 0;
  reduction::EndsByWeight ends;
  double g = 0;     // the row's coefficient
  double gain = 0;  // how much the right side falls at the point if g is w instead of zero
};

// Empty if some bound is infinite: then no intercept is finite.
std::vector<Item> items_of(const program::Program& program, const AffineUnit& unit, std::span<const double> point) {
  std::vector<Item> items;
  const program::Program::Row row = program.row(unit.row);
  const double a = at(point, unit.indicator);
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    const program::VariableId x{row.columns[k]};
    if (x == unit.argument) continue;
    if (!std::isfinite(program.lower(x)) || !std::isfinite(program.upper(x))) return {};
    const double w = row.coefficients[k];
    const reduction::EndsByWeight ends = reduction::ends_by_weight(w, program.lower(x), program.upper(x));
    items.push_back({x, w, ends, 0, w * (ends.largest * a + ends.least * (1 - a) - at(point, x))});
  }
  return items;
}

// Chooses I: every item with a positive gain, except the smallest gains, which together are at most `given_up`.
void choose(std::vector<Item>& items, double given_up) {
  std::vector<Item*> gaining;
  for (Item& item : items) {
    if (item.gain > 0) gaining.push_back(&item);
  }
  std::ranges::stable_sort(gaining, {}, &Item::gain);
  for (Item* item : gaining) {
    given_up -= item->gain;
    if (given_up < 0) item->g = item->w;
  }
}

// y - g . x + (inactive - active) a <= inactive.
HullRow row_of(const AffineUnit& unit, std::span<const Item> items, double b_up, double ignored_coefficient) {
  HullRow row{0, {{unit.value, 1}}, 0, 0};
  reduction::HullIntercepts intercepts(b_up);
  for (const Item& item : items) {
    intercepts.add(item.w, item.g, item.ends);
    if (item.g != 0) row.terms.push_back({item.variable, -item.g});
  }
  row.upper = intercepts.inactive();
  const double of_indicator = sum_down(intercepts.inactive(), -intercepts.active());
  if (std::abs(of_indicator) >= ignored_coefficient)
    row.terms.push_back({unit.indicator, of_indicator});
  else if (of_indicator < 0)  // a solver would take it for zero, so the larger intercept is used for both
    row.upper = sum_up(row.upper, -of_indicator);
  return row;
}

}  // namespace

double distance(const HullRow& row, std::span<const double> point) {
  double activity = 0, squares = 0;
  for (const auto& [variable, coefficient] : row.terms) {
    activity += coefficient * at(point, variable);
    squares += coefficient * coefficient;
  }
  return (activity - row.upper) / std::sqrt(squares);
}

std::optional<HullRow> separated_row(const program::Program& program, const AffineUnit& unit,
                                     std::span<const double> point, double ignored_coefficient) {
  const double b_up = -program.lower(unit.row), a = at(point, unit.indicator);
  std::vector<Item> items = items_of(program, unit, point);
  if (items.empty() || !std::isfinite(b_up)) return std::nullopt;
  double violation = at(point, unit.value) - b_up * a;
  for (const Item& item : items) violation += std::max(0.0, item.gain) - item.w * item.ends.largest * a;
  if (!(violation > kLeastViolation * program.upper(unit.value))) return std::nullopt;
  choose(items, kGivenUp * violation);
  HullRow row = row_of(unit, items, b_up, ignored_coefficient);
  row.violation = distance(row, point);
  if (!(row.violation > kLeastDistance)) return std::nullopt;
  return row;
}

HullRow merged_row(const program::Program& program, const AffineUnit& unit, std::span<const HullRow* const> rows,
                   std::span<const double> weights, double ignored_coefficient) {
  std::vector<double> none(static_cast<std::size_t>(program.variables())), sum = none;
  double total = 0;
  for (const double weight : weights) total += weight;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    for (const auto& [variable, coefficient] : rows[c]->terms) {
      sum[static_cast<std::size_t>(variable.index)] -= weights[c] / total * coefficient;
    }
  }
  std::vector<Item> items = items_of(program, unit, none);
  for (Item& item : items) {
    const double g = sum[static_cast<std::size_t>(item.variable.index)];
    item.g = std::abs(g) < ignored_coefficient ? 0 : g;
  }
  HullRow row = row_of(unit, items, -program.lower(unit.row), ignored_coefficient);
  row.unit = rows[0]->unit;
  return row;
}

}  // namespace plumb::milp
