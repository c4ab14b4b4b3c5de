// reducer.cc: builds a reduced network node by node.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/limits.h"
#include "base/numbers.h"
#include "base/overloaded.h"
#include "base/rounding.h"
#include "network/op_kind.h"
#include "reduction/reduced_network.h"
#include "reduction/row_bound.h"

namespace plumb::reduction {

class Reducer {
 public:
  Reducer(const bounds::RegionBounds& bounds, std::int64_t most_bytes, const Budget* budget, network::NodeId before)
      : bounds_(bounds),
        network_(bounds.network->network()),
        most_bytes_(most_bytes),
        budget_(budget),
        undecided_(undecided_elements(bounds, before)),
        rows_at_a_time_(affordable_rows()),
        reduced_(InputSpace(bounds)),
        unit_of_undecided_(index(undecided_.count), -1) {}

  std::optional<ReducedNetwork> run(const bounds::Functionals& functionals) {
    if (!add_units()) return std::nullopt;
    const bounds::SubstitutedRows substituted = substitute(bounds_, undecided_, functionals, budget_);
    if (limit_reached(budget_)) return std::nullopt;
    for (const LooseRow& row : rows_of(substituted, functionals.count)) store(row);
    return finished();
  }

  std::optional<ReducedNetwork> run(network::NodeId node, const std::vector<std::int64_t>& elements) {
    if (!add_units()) return std::nullopt;
    std::map<std::int64_t, LooseRow> rows;
    const bool complete =
        for_each_row(node, elements, [&](std::int64_t element, const LooseRow& row) { keep(rows[element], row); });
    if (!complete) return std::nullopt;
    for (const std::int64_t element : elements) store(rows.at(element));
    return finished();
  }

 private:
  std::optional<ReducedNetwork> finished() {
    drop_unused_coordinates();
    if (reduced_.bytes() > most_bytes_) return std::nullopt;
    return std::move(reduced_);
  }

  // This and the functions below that return bool return false if the rows need more than most_bytes_, or if the budget
  // has reached a limit.
  bool add_units() {
    for (network::NodeId id = 0; id < network_.nodes().size(); ++id) {
      const std::vector<std::int64_t> undecided = undecided_of(id);
      if (undecided.empty()) continue;
      const auto add_maxima = [&](const network::Maximum& op) {
        return std::ranges::all_of(undecided, [&](std::int64_t element) { return add_maximum_units(id, op, element); });
      };
      const bool complete =
          std::visit(Overloaded{[](const network::OpWithoutUnits auto&) { return true; },
                                [&](const network::Relu&) { return add_relu_units(id, undecided); }, add_maxima},
                     network_.node(id).op);
      if (!complete) return false;
    }
    return true;
  }

  bool may_go_on() const { return reduced_.bytes() + kept_bytes_ <= most_bytes_ && !limit_reached(budget_); }

  std::vector<std::int64_t> undecided_of(network::NodeId id) const {
    std::vector<std::int64_t> elements;
    for (std::size_t i = 0; i < undecided_.variable[id].size(); ++i) {
      if (undecided_.variable[id][i] >= 0) elements.push_back(static_cast<std::int64_t>(i));
    }
    return elements;
  }

  bool add_relu_units(network::NodeId id, const std::vector<std::int64_t>& elements) {
    const network::NodeId argument = network_.node(id).arguments[0];
    const auto lower = bounds_.store.lower(argument), upper = bounds_.store.upper(argument);
    const bool complete = for_each_row(argument, elements, [&](std::int64_t element, const LooseRow& row) {
      unit_of_undecided_[index(undecided_.variable[id][index(element)])] =
          add_unit(id, element, row, lower[index(element)], upper[index(element)]);
    });
    ++group_;
    return complete;
  }

  // Writes max(a, b, ...) as a + relu(b - a) + .... A difference that is decided needs no unit.
  bool add_maximum_units(network::NodeId id, const network::Maximum& op, std::int64_t element) {
    const network::NodeId argument = network_.node(id).arguments[0];
    const std::vector<std::int64_t> members =
        bounds::possible_winners(op.group(element), bounds_.store.lower(argument), bounds_.store.upper(argument));
    std::map<std::int64_t, LooseRow> rows;
    const auto take = [&](std::int64_t member, const LooseRow& row) { rows[member] = row; };
    if (!for_each_row(argument, members, take)) return false;
    LooseRow largest = rows[members[0]];
    events::MaximumChain chain{id, element, members[0], {}};
    for (std::size_t m = 1; m < members.size(); ++m) {
      LooseRow ahead = rows[members[m]];
      add_multiple(ahead, -1, largest);
      combine_terms(ahead);
      LooseRow behind;
      add_multiple(behind, -1, ahead);
      const double lower = lower_bound(reduced_, ahead), upper = -lower_bound(reduced_, behind);
      if (upper <= 0) {
        chain.links.push_back({members[m], events::MaximumChain::Place::kBelow});
        continue;
      }
      if (lower >= 0) {
        chain.links.push_back({members[m], events::MaximumChain::Place::kAbove});
        largest = rows[members[m]];
        continue;
      }
      const std::int32_t unit = add_unit(id, element, ahead, lower, upper);
      chain.links.push_back({members[m], events::MaximumChain::Place::kUnit, unit});
      largest.units.push_back({unit, 1.0});
      ++group_;  // the next difference depends on this one
    }
    reduced_.chains_.push_back(std::move(chain));
    keep(maximum_of_undecided_[undecided_.variable[id][index(element)]], largest);
    return true;
  }

  // Calls visit(element, row) for elements of a node. Elements at one pixel depend on the same windows, so they are
  // substituted together, as many at a time as the memory allows.
  template <class Visit>
  bool for_each_row(network::NodeId id, const std::vector<std::int64_t>& elements, Visit visit) {
    const bounds::Image& image = bounds_.network->image(id);
    const std::int64_t pixels = image.height * image.width;
    std::map<std::int64_t, std::vector<std::int64_t>> channels_at;
    for (const std::int64_t element : elements) channels_at[element % pixels].push_back(element / pixels);
    for (const auto& [pixel, all_channels] : channels_at) {
      for (std::size_t first = 0; first < all_channels.size(); first += rows_at_a_time_) {
        const std::size_t last = std::min(all_channels.size(), first + rows_at_a_time_);
        const std::vector<std::int64_t> channels(all_channels.data() + first, all_channels.data() + last);
        const bounds::Functionals units =
            unit_functionals(bounds_, id, pixel / image.width, pixel % image.width, channels, bounds::Signs::kPlus);
        const bounds::SubstitutedRows substituted = substitute(bounds_, undecided_, units, budget_);
        if (!may_go_on()) return false;
        const std::vector<LooseRow> rows = rows_of(substituted, units.count);
        for (std::size_t c = 0; c < channels.size(); ++c) visit(channels[c] * pixels + pixel, rows[c]);
      }
    }
    return true;
  }

  // A substituted row also has a number for each undecided element.
  std::size_t affordable_rows() const {
    const std::int64_t numbers = undecided_.count * static_cast<std::int64_t>(sizeof(double));
    return index(std::max<std::int64_t>(1, most_bytes_ / (bounds::most_bytes_of_row(network_) + numbers)));
  }

  void keep(LooseRow& place, const LooseRow& row) {
    place = row;
    kept_bytes_ += (std::ssize(row.inputs) + std::ssize(row.units)) * static_cast<std::int64_t>(sizeof(Entry));
  }

  std::vector<LooseRow> rows_of(const bounds::SubstitutedRows& substituted, std::int64_t count) {
    std::vector<LooseRow> rows(index(count));
    for (std::int64_t r = 0; r < count; ++r) {
      LooseRow& row = rows[index(r)];
      row.constant = substituted.constants[index(r)];
      row.error = substituted.errors[index(r)];
      row.inputs = reduced_.space_.over_coordinates(over_inputs(substituted, r), row.constant, row.error);
      const double* coefficients = substituted.variables.data() + r * undecided_.count;
      for (std::int64_t k = 0; k < undecided_.count; ++k) {
        if (coefficients[k] == 0) continue;
        if (unit_of_undecided_[index(k)] >= 0)
          row.units.push_back({unit_of_undecided_[index(k)], coefficients[k]});
        else
          add_multiple(row, coefficients[k], maximum_of_undecided_.at(static_cast<std::int32_t>(k)));
      }
      combine_terms(row);
    }
    return rows;
  }

  std::vector<Entry> over_inputs(const bounds::SubstitutedRows& substituted, std::int64_t r) const {
    std::vector<Entry> terms;
    for (const auto& [id, block] : substituted.inputs) {
      const auto offset = network_.input_offset(std::get<network::Input>(network_.node(id).op).index);
      const double* values = block.row(r);
      block.for_each_run([&](std::int64_t in_row, std::int64_t in_value, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
          const double value = values[in_row + i];
          if (value != 0) terms.push_back({static_cast<std::int32_t>(offset + in_value + i), value});
        }
      });
    }
    return terms;
  }

  // row += factor * other, by appending terms. Each product is rounded, and so is the sum of the constants; both are
  // charged.
  void add_multiple(LooseRow& row, double factor, const LooseRow& other) const {
    for (const Entry& term : other.inputs) row.inputs.push_back({term.column, factor * term.value});
    for (const Entry& term : other.units) row.units.push_back({term.column, factor * term.value});
    const double magnitudes =
        loose_sum_up(std::abs(row.constant), loose_product_up(std::abs(factor), row_magnitude(reduced_, other)));
    row.constant += factor * other.constant;
    row.error = loose_sum_up(row.error, loose_product_up(std::abs(factor), other.error));
    row.error = loose_sum_up(row.error, loose_product_up(gamma(2), magnitudes));
    row.error = loose_sum_up(row.error, row_underflow(reduced_, 4));
  }

  // Sorts a row's terms by column and adds those of the same column.
  void combine_terms(LooseRow& row) const {
    const auto by_column = [](const Entry& a, const Entry& b) { return a.column < b.column; };
    const auto same_column = [](const Entry& a, const Entry& b) { return a.column == b.column; };
    for (std::vector<Entry>* terms : {&row.inputs, &row.units}) {
      if (!std::ranges::is_sorted(*terms, by_column)) std::ranges::stable_sort(*terms, by_column);
      if (std::ranges::adjacent_find(*terms, same_column) == terms->end()) continue;
      const auto sums = static_cast<std::int64_t>(terms->size());
      row.error = loose_sum_up(row.error, loose_product_up(gamma(sums), row_magnitude(reduced_, row)));
      std::size_t last = 0;
      for (std::size_t i = 1; i < terms->size(); ++i) {
        if (same_column((*terms)[i], (*terms)[last]))
          (*terms)[last].value += (*terms)[i].value;
        else
          (*terms)[++last] = (*terms)[i];
      }
      terms->resize(last + 1);
    }
  }

  // Returns the unit's number.
  std::int32_t add_unit(network::NodeId id, std::int64_t element, const LooseRow& row, double lower, double upper) {
    reduced_.units_.push_back({{id, element, group_}, lower, upper});
    reduced_.draw_line(reduced_.unit_count() - 1);
    store(row);
    return static_cast<std::int32_t>(reduced_.unit_count() - 1);
  }

  void store(const LooseRow& row) {
    for (const Entry& term : row.inputs) reduced_.on_inputs_.add(term.column, term.value);
    for (const Entry& term : row.units) reduced_.on_units_.add(term.column, term.value);
    reduced_.on_inputs_.end_row();
    reduced_.on_units_.end_row();
    reduced_.constants_.push_back(row.constant);
    reduced_.errors_.push_back(row.error);
    reduced_.magnitudes_.push_back(row_magnitude(reduced_, row));
  }

  void drop_unused_coordinates() {
    if (!reduced_.space_.is_cube()) return;
    std::vector<std::int32_t> name(index(reduced_.space_.all_coordinates()), -1), kept;
    for (std::int64_t row = 0; row < reduced_.rows(); ++row) {
      for (const std::int32_t column : reduced_.on_inputs_.columns(row)) name[index(column)] = 0;
    }
    for (std::size_t c = 0; c < name.size(); ++c) {
      if (name[c] < 0) continue;
      name[c] = static_cast<std::int32_t>(kept.size());
      kept.push_back(static_cast<std::int32_t>(c));
    }
    reduced_.on_inputs_.rename_columns(name);
    reduced_.space_.keep(std::move(kept));
  }

  const bounds::RegionBounds& bounds_;
  const network::Network& network_;
  std::int64_t most_bytes_;
  const Budget* budget_;
  bounds::UndecidedElements undecided_;
  std::size_t rows_at_a_time_;
  ReducedNetwork reduced_;
  std::vector<std::int32_t> unit_of_undecided_;            // -1 for a maximum
  std::map<std::int32_t, LooseRow> maximum_of_undecided_;  // the maximum's value, as a row
  std::int64_t kept_bytes_ = 0;                            // of rows outside of reduced_
  std::int32_t group_ = 0;
};

std::optional<ReducedNetwork> ReducedNetwork::build(const bounds::RegionBounds& bounds,
                                                    const bounds::Functionals& functionals, std::int64_t most_bytes,
                                                    const Budget* budget) {
  return Reducer(bounds, most_bytes, budget, bounds.network->network().nodes().size()).run(functionals);
}

std::optional<ReducedNetwork> ReducedNetwork::build(const bounds::RegionBounds& bounds, network::NodeId node,
                                                    const std::vector<std::int64_t>& elements, std::int64_t most_bytes,
                                                    const Budget* budget) {
  return Reducer(bounds, most_bytes, budget, node + 1).run(node, elements);
}

}  // namespace plumb::reduction
