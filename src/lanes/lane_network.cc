#include "lanes/lane_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>

#include "base/numbers.h"
#include "base/rounding.h"
#include "lanes/adam.h"
#include "lanes/lane_kernels.h"

namespace plumb::lanes {
namespace {

// Sparse rows, one after the other.
class RowTable {
 public:
  std::int64_t count() const { return static_cast<std::int64_t>(first_.size()) - 1; }
  std::span<const reduction::Entry> row(std::int64_t r) const {
    return std::span(entries_).subspan(first_[index(r)], first_[index(r + 1)] - first_[index(r)]);
  }

  void reserve(std::int64_t entries) { entries_.reserve(index(entries)); }
  void add(std::int32_t column, double value) { entries_.push_back({column, value}); }
  void end_row() { first_.push_back(entries_.size()); }

  // nullopt if the budget has reached a limit.
  std::optional<RowTable> transposed(std::int64_t columns, const Budget* budget) const {
    RowTable result;
    result.first_.assign(index(columns) + 1, 0);
    for (const reduction::Entry& entry : entries_) ++result.first_[index(entry.column) + 1];
    std::partial_sum(result.first_.begin(), result.first_.end(), result.first_.begin());
    result.entries_.resize(entries_.size());
    std::vector<std::size_t> next = result.first_;
    for (std::int64_t r = 0; r < count(); ++r) {
      if (limit_reached(budget)) return std::nullopt;
      for (const reduction::Entry& entry : row(r)) {
        result.entries_[next[index(entry.column)]++] = {static_cast<std::int32_t>(r), entry.value};
      }
    }
    return result;
  }

 private:
  std::vector<std::size_t> first_{0};
  std::vector<reduction::Entry> entries_;
};

// Calls use(row) with the row that lanes add multiples of: the row of a unit's cut, the excess of a joint cut.
template <class Use>
auto with_row(const reduction::Cut& cut, Use use) {
  return is_joint(cut) ? use(excess(cut)) : use(cut.row);
}

// The rows of the units, then of the cuts, then of the constraints. Columns are the inputs, then the units. nullopt
// if the budget has reached a limit.
std::optional<RowTable> all_rows(const reduction::ReducedNetwork& network, std::span<const reduction::Cut> cuts,
                                 std::span<const std::int64_t> constraints, const Budget* budget) {
  const auto inputs = static_cast<std::int32_t>(network.space().size());
  RowTable rows;
  rows.reserve(network.entries());
  const auto add_part = [&](const auto& matrix, std::int64_t row, std::int32_t offset) {
    const auto columns = matrix.columns(row);
    const auto values = matrix.values(row);
    for (std::size_t e = 0; e < columns.size(); ++e) rows.add(columns[e] + offset, values[e]);
  };
  const auto add_row = [&](std::int64_t row) {
    add_part(network.on_inputs(), row, 0);
    add_part(network.on_units(), row, inputs);
    rows.end_row();
  };
  for (std::int64_t k = 0; k < network.unit_count(); ++k) {
    if (limit_reached(budget)) return std::nullopt;
    add_row(k);
  }
  for (const reduction::Cut& cut : cuts) {
    with_row(cut, [&](const reduction::LooseRow& row) {
      for (const reduction::Entry& term : row.inputs) rows.add(term.column, term.value);
      for (const reduction::Entry& term : row.units) rows.add(inputs + term.column, term.value);
    });
    rows.end_row();
  }
  for (const std::int64_t row : constraints) add_row(row);
  return rows;
}

// Adds the chosen rows as one group, and appends their numbers, plus an offset, to `names`. Returns false if the budget
// has reached a limit before all rows were added.
template <class T>
bool add_chosen(Panels<T>& panels, std::vector<std::int32_t>& names, const RowTable& rows,
                const std::vector<std::int32_t>& chosen, std::int64_t name_offset, const Budget* budget) {
  constexpr std::size_t kAtOnce = Panels<T>::kRows * 16;
  for (std::size_t first = 0; first < chosen.size(); first += kAtOnce) {
    if (limit_reached(budget)) return false;
    std::vector<std::span<const reduction::Entry>> some;
    for (std::size_t i = first; i < std::min(chosen.size(), first + kAtOnce); ++i) {
      some.push_back(rows.row(chosen[i]));
      names.push_back(static_cast<std::int32_t>(chosen[i] + name_offset));
    }
    panels.add_group(some);
  }
  return true;
}

std::vector<std::int32_t> numbers(std::int64_t first, std::int64_t last) {
  std::vector<std::int32_t> list(index(last - first));
  std::iota(list.begin(), list.end(), static_cast<std::int32_t>(first));
  return list;
}

// The units of each group, in order, as half-open ranges.
std::vector<std::pair<std::int64_t, std::int64_t>> groups_of(const reduction::ReducedNetwork& network) {
  std::vector<std::pair<std::int64_t, std::int64_t>> groups;
  for (std::int64_t k = 0; k < network.unit_count(); ++k) {
    const bool same = k > 0 && network.units()[index(k)].place.group == network.units()[index(k - 1)].place.group;
    if (same)
      groups.back().second = k + 1;
    else
      groups.push_back({k, k + 1});
  }
  return groups;
}

}  // namespace

template <class T>
LaneNetwork<T>::LaneNetwork(const reduction::ReducedNetwork& network, std::span<const reduction::Cut> cuts,
                            std::span<const std::int64_t> constraints, const Budget* budget)
    : network_(network),
      budget_(budget),
      terms_(network.unit_count() + static_cast<std::int64_t>(cuts.size() + constraints.size()) +
             network.space().size() + 32) {
  layout_.inputs = network.space().size();
  layout_.units = network.unit_count();
  layout_.cuts = static_cast<std::int64_t>(cuts.size());
  layout_.constraints = static_cast<std::int64_t>(constraints.size());
  layout_.is_cube = network.space().is_cube();
  list_cuts(cuts);
  is_complete_ = lay_out_rows(cuts, constraints);
  for (std::int64_t k = 0; k < layout_.units; ++k) layout_.constant.push_back(static_cast<T>(network.constant(k)));
  for (const reduction::Cut& cut : cuts) {
    layout_.constant.push_back(static_cast<T>(is_joint(cut) ? -cut.row.constant : cut.row.constant));
  }
  for (const std::int64_t row : constraints) layout_.constant.push_back(static_cast<T>(network.constant(row)));
  set_prices(cuts, constraints);
}

template <class T>
void LaneNetwork<T>::list_cuts(std::span<const reduction::Cut> cuts) {
  std::vector<std::vector<std::int32_t>> cuts_of(index(layout_.units));
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    auto& list = is_joint(cuts[c]) ? layout_.cuts_of_units.joint : cuts_of[index(only_unit(cuts[c]))];
    list.push_back(static_cast<std::int32_t>(c));
  }
  layout_.cuts_of_units.first.push_back(0);
  for (const auto& list : cuts_of) {
    layout_.cuts_of_units.cut.insert(layout_.cuts_of_units.cut.end(), list.begin(), list.end());
    layout_.cuts_of_units.first.push_back(static_cast<std::int32_t>(layout_.cuts_of_units.cut.size()));
  }
}

template <class T>
bool LaneNetwork<T>::lay_out_rows(std::span<const reduction::Cut> cuts, std::span<const std::int64_t> constraints) {
  const std::int64_t inputs = layout_.inputs, units = layout_.units;
  std::optional<RowTable> rows = all_rows(network_, cuts, constraints, budget_);
  if (!rows) return false;
  const auto groups = groups_of(network_);
  // Groups come in order. A group's cuts come before its units, whose values they bound.
  for (const auto& [first, last] : groups) {
    std::vector<std::int32_t> members;
    for (std::int32_t c = layout_.cuts_of_units.first[index(first)]; c < layout_.cuts_of_units.first[index(last)];
         ++c) {
      members.push_back(static_cast<std::int32_t>(units) + layout_.cuts_of_units.cut[index(c)]);
    }
    for (const std::int32_t k : numbers(first, last)) members.push_back(k);
    if (!add_chosen(layout_.forward, layout_.forward_row, *rows, members, 0, budget_)) return false;
  }
  const std::int64_t bounded = units + layout_.cuts;
  std::vector<std::int32_t> added = numbers(bounded, bounded + layout_.constraints);
  for (const std::int32_t c : layout_.cuts_of_units.joint) added.push_back(static_cast<std::int32_t>(units) + c);
  if (!add_chosen(layout_.forward, layout_.forward_row, *rows, added, 0, budget_)) return false;
  const std::optional<RowTable> columns = rows->transposed(inputs + units, budget_);
  if (!columns) return false;
  rows.reset();  // its memory is needed
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    const std::vector<std::int32_t> members = numbers(inputs + group->first, inputs + group->second);
    if (!add_chosen(layout_.backward, layout_.backward_row, *columns, members, -inputs, budget_)) return false;
  }
  return add_chosen(layout_.backward, layout_.backward_row, *columns, numbers(0, inputs), units, budget_);
}

// Only double has prices, because float proves nothing.
template <class T>
void LaneNetwork<T>::set_prices(std::span<const reduction::Cut> cuts, std::span<const std::int64_t> constraints) {
  const std::int64_t units = layout_.units, bounded = units + layout_.cuts;
  layout_.price.assign(index(bounded + layout_.constraints), T{0});
  layout_.shared_price.assign(index(units), T{0});
  if constexpr (std::is_same_v<T, double>) {
    for (std::int64_t k = 0; k < units; ++k) {
      layout_.price[index(k)] = row_price(network_, k, terms_);
      layout_.shared_price[index(k)] = loose_product_up(gamma(terms_), std::max(0.0, network_.units()[index(k)].upper));
    }
    for (std::int64_t c = 0; c < layout_.cuts; ++c) {
      const double magnitude =
          with_row(cuts[index(c)], [&](const reduction::LooseRow& row) { return row_magnitude(network_, row); });
      layout_.price[index(units + c)] = loose_product_up(gamma(terms_), magnitude);
    }
    for (std::int64_t c = 0; c < layout_.constraints; ++c) {
      layout_.price[index(bounded + c)] = row_price(network_, constraints[index(c)], terms_);
    }
    underflow_ = row_underflow(network_, terms_);
  }
}

template <class T>
Lanes<T> LaneNetwork<T>::lanes() const {
  Lanes<T> lanes(kLanes<T>, layout_.inputs, layout_.units, layout_.cuts, layout_.constraints);
  const bounds::Lines& lines = network_.lines();
  for (std::int64_t k = 0; k < layout_.units; ++k) {
    std::fill_n(lanes_of(lanes.slope, k), kLanes<T>, static_cast<T>(lines.lower_slope[index(k)]));
    std::fill_n(lanes_of(lanes.upper_slope, k), kLanes<T>, static_cast<T>(lines.upper_slope[index(k)]));
    std::fill_n(lanes_of(lanes.upper_intercept, k), kLanes<T>, static_cast<T>(lines.upper_intercept[index(k)]));
  }
  return lanes;
}

template <class T>
void LaneNetwork<T>::ask(Lanes<T>& lanes, std::int64_t lane, const reduction::LooseRow& row) const {
  for (std::int64_t i = 0; i < layout_.inputs + layout_.units; ++i) lanes.start.at(i, lane) = T{0};
  for (const reduction::Entry& term : row.inputs) lanes.start.at(term.column, lane) += static_cast<T>(term.value);
  for (const reduction::Entry& term : row.units)
    lanes.start.at(layout_.inputs + term.column, lane) += static_cast<T>(term.value);
  lanes.constant[index(lane)] = static_cast<T>(row.constant);
  if constexpr (std::is_same_v<T, double>) {
    lanes.start_error[index(lane)] =
        loose_sum_up(row.error, loose_product_up(gamma(terms_), row_magnitude(network_, row)));
  }
}

template <class T>
void LaneNetwork<T>::backward(Lanes<T>& lanes) const {
  if (is_over()) {
    std::ranges::fill(lanes.bound, -std::numeric_limits<T>::infinity());
    return;
  }
  lane_kernels::BackwardSums<T> sums;
  lane_kernels::backward(layout_, lanes, sums);
  for (std::int64_t lane = 0; lane < kLanes<T>; ++lane) {
    T least = -sums.absolute[index(lane)];
    if constexpr (std::is_same_v<T, double>) least = round_down(least - 2 * gamma(terms_) * sums.absolute[index(lane)]);
    if (!layout_.is_cube) least = minimise_over_part(lanes, lane);
    lanes.bound[index(lane)] = least + sums.constant[index(lane)];
    if constexpr (std::is_same_v<T, double>) {
      // As in reduction/row_bound.h. All terms of the sums of prices and of intercepts have one sign, so `inflation`
      // covers the rounding of these sums.
      const double inflation = 1 + 2 * gamma(terms_);
      double error = loose_product_up(gamma(terms_), loose_product_up(sums.intercepts[index(lane)], inflation));
      error = loose_sum_up(error, loose_product_up(sums.price[index(lane)], inflation));
      error = loose_sum_up(error, loose_sum_up(lanes.start_error[index(lane)], underflow_));
      const double bound = round_down(round_down(lanes.bound[index(lane)]) - error);
      // A region that is certainly empty has a minimum of +infinity; anything else that is not finite is no bound.
      const bool empty = least == kInfinity && std::isfinite(sums.constant[index(lane)]) && std::isfinite(error);
      lanes.bound[index(lane)] = std::isfinite(bound) ? bound : (empty ? kInfinity : -kInfinity);
    }
  }
}

// Bounds the row in `gradient` over a region that is not a cube, and stores the minimiser in `values`.
template <class T>
T LaneNetwork<T>::minimise_over_part(Lanes<T>& lanes, std::int64_t lane) const {
  std::vector<double> row(index(layout_.inputs));
  for (std::int64_t i = 0; i < layout_.inputs; ++i) row[index(i)] = static_cast<double>(lanes.gradient.at(i, lane));
  const std::vector<double> point = minimiser(network_.space().part(), row);
  for (std::int64_t i = 0; i < layout_.inputs; ++i) lanes.values.at(i, lane) = static_cast<T>(point[index(i)]);
  return static_cast<T>(minimum(network_.space().part(), row));
}

template <class T>
void LaneNetwork<T>::forward(Lanes<T>& lanes) const {
  if (!is_over()) lane_kernels::forward(layout_, lanes);
}

template <class T>
int LaneNetwork<T>::ascend(Lanes<T>& lanes, const AscentOptions& options, Ascent<T>& ascent) const {
  return ascend_by_adam<T>(*this, layout_.cuts_of_units, lanes, options, ascent);
}

template <class T>
void LaneNetwork<T>::evaluate(Lanes<T>& lanes) const {
  if (is_over()) {
    std::ranges::fill(lanes.bound, std::numeric_limits<T>::infinity());
    return;
  }
  lane_kernels::evaluate(layout_, lanes);
}

template <class T>
void LaneNetwork<T>::differentiate(Lanes<T>& lanes) const {
  if (!is_over()) lane_kernels::differentiate(layout_, lanes);
}

template class LaneNetwork<float>;
template class LaneNetwork<double>;

}  // namespace plumb::lanes
