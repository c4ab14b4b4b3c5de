#include "search/cuts/hull_cuts.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/rounding.h"
#include "reduction/relu_hull.h"

namespace plumb::search {
namespace {

// One term w_i x_i of the affine function w . x + b: the range of x_i, and where the point lies in it.
struct Item {
  std::int32_t column = 0;
  bool is_unit = false;
  double w = 0;
  reduction::EndsByWeight ends;  // lo and hi
  double ratio = 0;              // (x - lo) / (hi - lo)
  double g = 0;                  // the cut's coefficient
};

Item item(std::int32_t column, bool is_unit, double w, double lower, double upper, double x) {
  const reduction::EndsByWeight ends = reduction::ends_by_weight(w, lower, upper);
  return {column, is_unit, w, ends, (x - ends.least) / (ends.largest - ends.least), 0};
}

// Chooses the coefficients of the most violated cut for relu(sum of items + b). Returns false if w . x + b is never
// negative.
bool choose_coefficients(std::vector<Item>& items, double b) {
  std::ranges::sort(
      items, [](const Item& p, const Item& q) { return p.ratio != q.ratio ? p.ratio < q.ratio : p.column < q.column; });
  double l = b;
  for (const Item& i : items) l += i.w * i.ends.largest;
  for (Item& i : items) {
    const double width = i.ends.largest - i.ends.least, next = l - i.w * width;
    i.g = next >= 0 ? i.w : l / width;
    if (next < 0) return true;
    l = next;
  }
  return false;
}

// The cut for relu(sum of items + b), where the true b lies between `b` and `b_up`.
std::optional<reduction::LooseRow> hull_cut(std::vector<Item>& items, double b, double b_up) {
  if (!choose_coefficients(items, b)) return std::nullopt;
  reduction::LooseRow row;
  reduction::HullIntercepts intercepts(b_up);
  for (const Item& i : items) {
    if (i.g != 0) (i.is_unit ? row.units : row.inputs).push_back({i.column, i.g});
    intercepts.add(i.w, i.g, i.ends);
  }
  row.constant = std::max(intercepts.inactive(), intercepts.active());
  return row;
}

void order_by_column(reduction::LooseRow& row) {
  std::ranges::sort(row.inputs, {}, &reduction::Entry::column);
  std::ranges::sort(row.units, {}, &reduction::Entry::column);
}

// The cut over the box of coordinates and earlier units, which are treated as independent.
std::optional<reduction::LooseRow> plain_cut(const reduction::ReducedNetwork& network, std::int32_t k,
                                             const RelaxationPoint& point) {
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
  return hull_cut(items, network.constant(k), sum_up(network.constant(k), network.error(k)));
}

// Slopes of lower lines that are tight at the point.
std::vector<double> slopes_at(const RelaxationPoint& point) {
  std::vector<double> slope(point.z.size());
  for (std::size_t j = 0; j < slope.size(); ++j) slope[j] = point.z[j] > 0 ? 1 : 0;
  return slope;
}

// The cut over the cube, for an affine function of u that lies above z_k and is tight at the point.
std::optional<reduction::LooseRow> composed_cut(const reduction::ReducedNetwork& network, std::int32_t k,
                                                const RelaxationPoint& point, std::span<const double> slope,
                                                std::span<const reduction::LooseRow* const> above) {
  const reduction::AffineBound below = affine_lower_bound(network, loose_row(network, k, -1), {slope, {}, {}, above});
  std::vector<Item> items;
  for (std::size_t i = 0; i < below.inputs.size(); ++i) {
    if (below.inputs[i] == 0) continue;
    items.push_back(item(static_cast<std::int32_t>(i), false, -below.inputs[i], -1, 1, point.u[i]));
  }
  return hull_cut(items, -below.constant, sum_up(-below.constant, below.error));
}

// For each unit the cut that is lowest at a point.
struct LowestCuts {
  std::vector<const reduction::LooseRow*> row;  // nullptr if none lies below the upper line there
  std::vector<std::int64_t> number;             // -1 likewise
};

LowestCuts lowest_at(const RelaxationPoint& point, const reduction::ReducedNetwork& network,
                     std::span<const NumberedCut> cuts) {
  const std::size_t units = index(network.unit_count());
  LowestCuts result{std::vector<const reduction::LooseRow*>(units, nullptr), std::vector<std::int64_t>(units, -1)};
  std::vector<double> lowest;
  for (std::size_t k = 0; k < units; ++k) {
    lowest.push_back(network.lines().upper_slope[k] * point.z[k] + network.lines().upper_intercept[k]);
  }
  for (const auto& [cut, number] : cuts) {
    if (is_joint(cut)) continue;
    const std::size_t unit = index(only_unit(cut));
    const double value = value_at(cut.row, point);
    if (value >= lowest[unit]) continue;
    lowest[unit] = value;
    result.row[unit] = &cut.row;
    result.number[unit] = number;
  }
  return result;
}

class HullCuts final : public CutFamily {
 public:
  std::vector<SeparatedCut> separate(const SeparationQuestion& question) const override {
    std::vector<SeparatedCut> found;
    const LowestCuts above = lowest_at(question.point, question.network, question.present);
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(question.network.unit_count()); ++k) {
      if (question.on_value[index(k)] >= 0) continue;
      if (question.budget.reached() != LimitReached::kNone) break;  // a cut of a wide layer takes milliseconds
      std::optional<HullCut> of_unit = separate_unit(question.network, k, question.point, above.row);
      if (!of_unit) continue;
      events::CutProof proof;
      if (question.proofs_wanted) proof = {!of_unit->slope.empty(), std::move(of_unit->slope), above.number};
      found.push_back({std::move(of_unit->cut), std::move(proof)});
    }
    return found;
  }
};

}  // namespace

std::optional<HullCut> separate_unit(const reduction::ReducedNetwork& network, std::int32_t unit,
                                     const RelaxationPoint& point, std::span<const reduction::LooseRow* const> above) {
  std::optional<reduction::LooseRow> best = plain_cut(network, unit, point);
  std::vector<double> slope;
  if (!network.on_units().columns(unit).empty()) {
    std::vector<double> tight = slopes_at(point);
    std::optional<reduction::LooseRow> composed = composed_cut(network, unit, point, tight, above);
    if (composed && (!best || value_at(*composed, point) < value_at(*best, point))) {
      best = std::move(composed);
      slope = std::move(tight);
    }
  }
  if (!best) return std::nullopt;
  const double violation = point.r[index(unit)] - value_at(*best, point);
  if (violation < 1e-4 * network.units()[index(unit)].upper + 1e-5) return std::nullopt;
  order_by_column(*best);
  return HullCut{{reduction::one_unit(unit), std::move(*best)}, std::move(slope)};
}

std::shared_ptr<const CutFamily> hull_cuts() {
  static const auto family = std::make_shared<const HullCuts>();
  return family;
}

}  // namespace plumb::search
