#include "search/cut_separation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/rounding.h"

namespace plumb {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// One x_i of the affine function w . x + b, with its range and its place at the point.
struct Item {
  std::int32_t column = 0;
  bool is_unit = false;
  double w = 0, lo = 0, hi = 0, x = 0;

  double ratio() const { return (x - lo) / (hi - lo); }
};

Item item(std::int32_t column, bool is_unit, double w, double lower, double upper, double x) {
  return {column, is_unit, w, w >= 0 ? lower : upper, w >= 0 ? upper : lower, x};
}

// Coefficients g of the most violated cut, for relu(sum of items + b); nothing if w . x + b never turns negative.
std::optional<LooseRow> most_violated(std::vector<Item>& items, double b) {
  std::ranges::sort(items, [](const Item& p, const Item& q) {
    return p.ratio() != q.ratio() ? p.ratio() < q.ratio() : p.column < q.column;
  });
  double l = b;
  for (const Item& i : items) l += i.w * i.hi;
  LooseRow g;
  for (const Item& i : items) {
    const double next = l + i.w * (i.lo - i.hi);
    const double coefficient = next >= 0 ? i.w : l / (i.hi - i.lo);
    (i.is_unit ? g.units : g.inputs).push_back({i.column, coefficient});
    g.constant -= coefficient * i.lo;  // for judging the cut; the valid one is computed last
    if (next < 0) return g;
    l = next;
  }
  return std::nullopt;
}

// The smallest intercept, rounded up, with which g over-estimates relu(w . x + b) over the items' box.
double intercept_up(const LooseRow& g, std::span<const Item> items, double b_up) {
  std::map<std::pair<bool, std::int32_t>, double> coefficient;
  for (const Entry& entry : g.inputs) coefficient[{false, entry.column}] = entry.value;
  for (const Entry& entry : g.units) coefficient[{true, entry.column}] = entry.value;
  double below_zero = 0, below_line = b_up;  // max(-g . x), max((w - g) . x) + b
  for (const Item& i : items) {
    const auto found = coefficient.find({i.is_unit, i.column});
    const double c = found == coefficient.end() ? 0 : found->second;
    below_zero = sum_up(below_zero, std::max(product_up(-c, i.lo), product_up(-c, i.hi)));
    const double low = sum_down(i.w, -c), high = sum_up(i.w, -c);
    double most = std::max(product_up(low, i.lo), product_up(low, i.hi));
    most = std::max({most, product_up(high, i.lo), product_up(high, i.hi)});
    below_line = sum_up(below_line, most);
  }
  return std::max(below_zero, below_line);
}

void order_by_column(LooseRow& row) {
  std::ranges::sort(row.inputs, {}, &Entry::column);
  std::ranges::sort(row.units, {}, &Entry::column);
}

// Over the independent box of coordinates and earlier units.
std::optional<LooseRow> plain_cut(const ReducedNetwork& network, std::int32_t k, const RelaxationPoint& point) {
  std::vector<Item> items;
  const auto inputs = network.on_inputs().columns(k), units = network.on_units().columns(k);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    items.push_back(item(inputs[i], false, network.on_inputs().values(k)[i], -1, 1, point.u[index(inputs[i])]));
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    const double upper = network.units()[index(units[i])].upper;
    if (upper <= 0) continue;  // its value is zero
    items.push_back(item(units[i], true, network.on_units().values(k)[i], 0, upper, point.r[index(units[i])]));
  }
  std::optional<LooseRow> g = most_violated(items, network.constant(k));
  if (!g) return std::nullopt;
  g->constant = intercept_up(*g, items, sum_up(network.constant(k), network.error(k)));
  return g;
}

// Over the cube, for an affine function of u above z_k that is tight at the point.
std::optional<LooseRow> composed_cut(const ReducedNetwork& network, std::int32_t k, const RelaxationPoint& point,
                                     std::span<const LooseRow* const> above) {
  std::vector<double> slope(point.z.size());
  for (std::size_t j = 0; j < slope.size(); ++j) slope[j] = point.z[j] > 0 ? 1 : 0;
  const AffineBound below = affine_lower_bound(network, loose_row(network, k, -1), {slope, {}, {}, above});
  std::vector<Item> items;
  for (std::size_t i = 0; i < below.inputs.size(); ++i) {
    if (below.inputs[i] == 0) continue;
    items.push_back(item(static_cast<std::int32_t>(i), false, -below.inputs[i], -1, 1, point.u[i]));
  }
  std::optional<LooseRow> g = most_violated(items, -below.constant);
  if (!g) return std::nullopt;
  g->constant = intercept_up(*g, items, sum_up(-below.constant, below.error));
  return g;
}

}  // namespace

RelaxationPoint relaxation_point(const ReducedNetwork& network, std::vector<double> u, std::vector<double> r) {
  RelaxationPoint point{std::move(u), std::move(r), {}};
  for (std::int64_t k = 0; k < network.unit_count(); ++k) point.z.push_back(value_at(loose_row(network, k), point));
  return point;
}

double value_at(const LooseRow& row, const RelaxationPoint& point) {
  double value = row.constant;
  for (const Entry& entry : row.inputs) value += entry.value * point.u[index(entry.column)];
  for (const Entry& entry : row.units) value += entry.value * point.r[index(entry.column)];
  return value;
}

std::optional<SeparatedCut> separate(const ReducedNetwork& network, std::int32_t unit, const RelaxationPoint& point,
                                     std::span<const LooseRow* const> above) {
  std::optional<LooseRow> best = plain_cut(network, unit, point);
  if (!network.on_units().columns(unit).empty()) {
    std::optional<LooseRow> composed = composed_cut(network, unit, point, above);
    if (composed && (!best || value_at(*composed, point) < value_at(*best, point))) best = std::move(composed);
  }
  if (!best) return std::nullopt;
  const double violation = point.r[index(unit)] - value_at(*best, point);
  if (violation < 1e-4 * network.units()[index(unit)].upper + 1e-5) return std::nullopt;
  order_by_column(*best);
  return SeparatedCut{{unit, std::move(*best)}, violation};
}

// For weights that sum to s: s r_k <= sum_c w_c (g_c . x + t_c). Dividing by s and rounding the sums changes the value
// by at most gamma times the magnitudes that are summed.
Cut merged(const ReducedNetwork& network, std::span<const Cut* const> cuts, std::span<const double> weights) {
  double total = 0;
  for (const double w : weights) total += w;
  std::map<std::int32_t, double> inputs, units;
  double constant = 0, sizes = std::max(0.0, network.units()[index(cuts[0]->owner)].upper);
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    const double w = weights[c] / total;
    for (const Entry& entry : cuts[c]->row.inputs) inputs[entry.column] += w * entry.value;
    for (const Entry& entry : cuts[c]->row.units) units[entry.column] += w * entry.value;
    constant += w * cuts[c]->row.constant;
    sizes = sum_up(sizes, product_up(w, row_size(network, cuts[c]->row)));
  }
  Cut result{cuts[0]->owner, {}};
  for (const auto& [column, value] : inputs) result.row.inputs.push_back({column, value});
  for (const auto& [column, value] : units) result.row.units.push_back({column, value});
  const auto roundings = static_cast<std::int64_t>(3 * cuts.size() + 4);
  const double underflow = row_underflow(network, roundings);
  result.row.constant = sum_up(sum_up(constant, product_up(gamma(roundings), sizes)), underflow);
  return result;
}

}  // namespace plumb
