// substitution.h: lower bounds of functionals by substitution (rules 2 and 3 of docs/certificates.md).
//
// In:  facts about a piece, a functional, and a choice of how undecided units are replaced.
// Out: an affine function of the inputs that is at most the functional wherever the choice's decisions and ranges hold,
//      and its minimum over the piece.
//
// A functional goes backward through the layers once. What is left then is a row: coefficients on the inputs and on the
// values of undecided units. Rows of units' arguments are kept, so that a bound costs one pass over them. Where a row
// cannot express something (a maximum that is replaced along lines) or rows would take too much memory, units are
// replaced on the way through the layers instead.
//
// Number: Interval, or Exact (exact.h).
// Sound:  for any choice.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>

#include "exact.h"
#include "facts.h"
#include "minimum.h"
#include "rows.h"
#include "values.h"

namespace checker {

template <class Number>
class Substitution {
 public:
  using Inequalities = std::vector<const Inequality*>;  // of the unsafe set; functional f is inequality f

  Substitution(const Facts& facts, const Inequalities& inequalities) : facts_(facts), inequalities_(inequalities) {}

  // Units were listed: nothing that was kept is about them. Without rows, maxima are replaced along lines.
  void restart(bool with_rows) {
    unit_rows_.clear();
    functional_rows_.clear();
    element_rows_.clear();
    forget_forms();
    with_rows_ = with_rows;
  }
  // Bounds are better than when the forms of units were made.
  void forget_forms() { unit_forms_.clear(); }

  AffineForm<Number> form(const Functional& sum, const Choice& choice) {
    choice_ = &choice;
    no_point_ = broken_ = false;
    Row row = start(sum);
    if (with_rows_) replace_units(row);
    return finish(row);
  }

  // Whether the last form or bound applies to no point at all.
  bool found_no_point() const { return no_point_; }

  // A lower bound; infinity if there is no point to which it applies.
  double lower_bound(const Functional& sum, const Choice& choice) {
    const AffineForm<Number> form = this->form(sum, choice);
    if (no_point_) return HUGE_VAL;
    const std::span<const std::pair<double, double>> ranges =
        choice.ranges != nullptr ? choice.ranges->coordinates : std::span<const std::pair<double, double>>();
    return minimum(facts_.region, form, choice.on_region, ranges, facts_.coordinates);
  }

  // A lower bound of the argument of a listed unit, or of its negative, wherever `at_most_zero` is so.
  double bound_where(Index listed, bool negated, double factor, const AffineForm<Number>& at_most_zero) {
    std::optional<AffineForm<Number>>& kept = unit_forms_[2 * listed + (negated ? 1 : 0)];
    if (!kept) {
      Functional argument;
      argument.parts.push_back({Functional::What::kUnitArgument, 0, listed, negated ? -1.0 : 1.0});
      kept = form(argument, Choice());
    }
    AffineForm<Number> sum = *kept;
    sum.is_finite = sum.is_finite && at_most_zero.is_finite;
    add_multiple(sum.inputs.data(), factor, at_most_zero.inputs.data(), sum.inputs.size());
    add_multiple(&sum.constant, factor, &at_most_zero.constant, 1);
    return minimum(facts_.region, sum, {}, {}, facts_.coordinates);
  }

  // The row of a unit's argument, made while that of its element is still at hand.
  void keep_row(std::size_t unit) {
    if (with_rows_) unit_row(unit);
  }

 private:
  using Row = checker::Row<Number>;
  using KeptRow = checker::KeptRow<Number>;

  static Number product(const Functional::Term& term) { return Number(term.coefficient) * Number(term.factor); }

  // From the last unit to the first: a unit's row contains earlier ones only.
  void replace_units(Row& row) {
    for (std::size_t k = facts_.units.size(); k-- > 0;) {
      if (is_zero(row.units[k]) && !has_multiplier(k)) continue;
      const double m = replace(k, row.units[k], row);
      if (m != 0) unit_row(k).add_to(row, m);
    }
  }

  Row empty_row() const {
    Row row;
    row.inputs.resize(at(facts_.network.input_size));
    row.units.resize(facts_.units.size());
    row.coordinates.resize(facts_.coordinates.size());
    return row;
  }

  // Adds to the coefficient of a listed unit's value.
  void add_to_unit(Index listed, const Number& coefficient, Row& row) {
    const std::size_t k = at(facts_.listed[at(listed)]);
    if (with_rows_)
      row.units[k] = row.units[k] + coefficient;
    else
      put_on(facts_.units[k].node, facts_.units[k].element, coefficient);
  }

  // The sum, before any unit is replaced; without rows, after all are.
  Row start(const Functional& sum) {
    Row row = empty_row();
    for (const Functional::Term& term : sum.on_units) add_to_unit(term.number, product(term), row);
    for (const Functional::Term& term : sum.on_coordinates)
      row.coordinates[at(term.number)] = row.coordinates[at(term.number)] + product(term);
    for (const Functional::Term& term : sum.constants) row.constant = row.constant + product(term);
    if (with_rows_) {
      for (const Functional::Part& part : sum.parts) row_of(part).add_to(row, part.factor);
      return row;
    }
    for (const Functional::Part& part : sum.parts) put(part, part.factor);
    for (std::size_t k = 0; k < facts_.units.size(); ++k) {
      if (has_multiplier(k)) touch(facts_.units[k].node);
    }
    sweep(row, [&](std::size_t k, const Number& v) { return Number(replace(k, v, row)); });
    return row;
  }

  // Coordinates are written out: u = (x_i - centre) / radius, or anything in [-1, 1] if the radius is 0.
  AffineForm<Number> finish(Row& row) const {
    for (std::size_t j = 0; j < row.coordinates.size(); ++j) {
      if (is_zero(row.coordinates[j])) continue;
      const Coordinates::Coordinate& u = facts_.coordinates[j];
      if (u.radius == 0) {
        row.constant = row.constant + row.coordinates[j] * Number(Interval::between(-1, 1));
        continue;
      }
      const Number slope = row.coordinates[j] * Number(Interval(1) / Interval(u.radius));
      row.inputs[at(u.input)] = row.inputs[at(u.input)] + slope;
      row.constant = row.constant - slope * Number(u.centre);
    }
    bool is_finite = !broken_ && checker::is_finite(row.constant);
    for (const Number& g : row.inputs) is_finite = is_finite && checker::is_finite(g);
    return {std::move(row.inputs), row.constant, is_finite};
  }

  bool has_multiplier(std::size_t k) const {
    const Index listed = facts_.units[k].listed;
    if (listed < 0) return false;
    if (!choice_->passed.empty()) return choice_->passed[at(listed)] != 0;
    return !choice_->multiplier.empty() && choice_->multiplier[at(listed)] != 0;
  }

  // v r >= m z + c: returns m, and adds c to the row.
  double replace(std::size_t k, Number v, Row& row) {
    const Unit& unit = facts_.units[k];
    const Interval& bounds = facts_.bounds_of(unit);
    Range z{bounds.low(), bounds.high, bounds.low(), bounds.high};
    int side = 0;
    if (unit.listed >= 0) {
      const std::size_t j = at(unit.listed);
      side = choice_->side.empty() ? 0 : choice_->side[j];
      if (choice_->ranges != nullptr) {
        const Range& range = choice_->ranges->units[j];
        z = {larger(z.low, range.low), smaller(z.high, range.high), larger(z.seen_low, range.seen_low),
             smaller(z.seen_high, range.seen_high)};
      }
    }
    if (side > 0) z.low = larger(z.low, 0.0);
    if (side < 0) z.high = smaller(z.high, 0.0);
    if (z.low > z.high) no_point_ = true;
    if (side == 0 && !choice_->side.empty()) side = claimed_side(unit.listed);
    if (side == 0 && !choice_->box) v = share_out(unit.listed, v, row);
    const double m = choose(unit, round_down(v), side, z);
    if (!std::isfinite(m)) broken_ = true;
    if (broken_) return 0;
    row.constant = row.constant + least_rest(v, m, z);
    return m;
  }

  // A prover whose bounds are less sharp than those here decides by the ends that it claims.
  int claimed_side(Index listed) const {
    if (listed < 0 || choice_->ranges == nullptr) return 0;
    const Range& range = choice_->ranges->units[at(listed)];
    return range.seen_low > 0 ? 1 : (range.seen_high < 0 ? -1 : 0);
  }

  // Any m is valid; this is the one that the prover meant.
  double choose(const Unit& unit, double v, int side, const Range& z) const {
    const Index listed = unit.listed;
    if (choice_->box) return 0;
    if (listed >= 0 && !choice_->passed.empty()) return choice_->passed[at(listed)];
    const double multiplier = listed < 0 || choice_->multiplier.empty() ? 0 : choice_->multiplier[at(listed)];
    if (side > 0) return v - multiplier;
    if (side < 0) return multiplier;
    const bool is_zero = is_decided_by_rounding(z.seen_low, z.seen_high);
    const bool has_slope = listed >= 0 && !choice_->slope.empty();
    if (v < 0 && is_zero) return v / 2;
    if (v < 0 && z.seen_low >= 0) return v;
    if (v < 0) return z.seen_high <= 0 ? 0 : v * (z.seen_high / (z.seen_high - z.seen_low));
    if (has_slope) return v * smaller(1, larger(0, choice_->slope[at(listed)]));
    return v * (unit.slope >= 0 ? unit.slope : default_slope(z.seen_low, z.seen_high));
  }

  // The least value of v max(z, 0) - m z: at an end of the range, or at 0.
  static Number least_rest(const Number& v, double m, const Range& z) {
    const Number low = lower_end(v);
    const auto value_at = [&](double x) { return lower_end(Number(x) * (x > 0 ? low - Number(m) : -Number(m))); };
    Number least = value_at(z.low);
    const auto take = [&](const Number& value) { least = -larger(-least, -value); };
    take(value_at(z.high));
    if (z.low < 0 && z.high > 0) take(Number(0.0));
    return least;
  }

  // Cuts take over their shares of a negative coefficient. Returns what is left of it.
  Number share_out(Index unit, const Number& v, Row& row) {
    const auto cuts = choice_->cuts.find(unit);
    if (cuts == choice_->cuts.end() || round_up(v) >= 0) return v;
    const double all = round_down(v);
    Number left = lower_end(v);
    for (const auto& [cut, weight] : cuts->second) {
      const double share = larger(-larger(0, -round_up(left)), all * larger(0, weight));  // not beyond what is left
      if (!(share < 0)) continue;
      left = lower_end(left - Number(share));
      for (const auto& [j, g] : cut->row.coordinates)
        row.coordinates[at(j)] = row.coordinates[at(j)] + Number(share) * Number(g);
      for (const auto& [j, g] : cut->row.units) add_to_unit(j, Number(share) * Number(g), row);
      row.constant = row.constant + Number(share) * Number(cut->row.constant);
    }
    return left;
  }

  const KeptRow& row_of(const Functional::Part& part) {
    if (part.what == Functional::What::kUnitArgument) return unit_row(at(facts_.listed[at(part.number)]));
    if (part.what == Functional::What::kElement) return element_row(part.node, part.number);
    std::optional<KeptRow>& row = functional_rows_[part.number];
    if (!row) {
      put(part, 1);
      row = swept();
    }
    return *row;
  }

  const KeptRow& element_row(std::size_t node, Index element) {
    if (node != element_node_ || element_rows_.size() > kMostElementRows) element_rows_.clear();
    element_node_ = node;
    std::optional<KeptRow>& row = element_rows_[element];
    if (!row) {
      put_on(node, element, Number(1.0));
      row = swept();
    }
    return *row;
  }

  // Of a link, x_member - L_(j-1): from the rows of the links before it.
  const KeptRow& unit_row(std::size_t k) {
    unit_rows_.resize(facts_.units.size());
    if (unit_rows_[k]) return *unit_rows_[k];
    const Unit& unit = facts_.units[k];
    if (unit.chain < 0) return *(unit_rows_[k] = element_row(facts_.argument_of(unit.node), unit.element));
    return *(unit_rows_[k] = link_row(facts_.chains[at(unit.chain)], unit.link));
  }

 public:
  // A lower bound of the argument of a link, or of its negative, with default slopes.
  double bound_of_link(const Chain& chain, std::size_t link, bool negated) {
    const Choice by_default;
    choice_ = &by_default;
    no_point_ = broken_ = false;
    Row row = empty_row();
    link_row(chain, link).add_to(row, negated ? -1 : 1);
    replace_units(row);
    return minimum(facts_.region, finish(row), {}, {}, facts_.coordinates);
  }

 private:
  KeptRow link_row(const Chain& chain, std::size_t link) {
    const std::size_t argument = facts_.argument_of(chain.node);
    Row before = empty_row();
    element_row(argument, chain.first).add_to(before, 1);
    for (std::size_t j = 0;; ++j) {
      const Chain::Link& here = chain.links[j];
      Row own = empty_row();
      element_row(argument, here.member).add_to(own, 1);
      KeptRow(before).add_to(own, -1);
      if (j == link) return KeptRow(own);
      if (here.place == Units::kUnit) {
        Number& value = before.units[at(here.unit)];
        value = value + Number(1.0);
      } else if (here.place == Units::kAbove) {
        KeptRow(own).add_to(before, 1);
      }
      before.constant = before.constant + slack_of(here);
    }
  }

  // By how much the value of a link that is not a unit may be above what replaces it, its argument or 0.
  static Number slack_of(const Chain::Link& link) {
    if (link.place == Units::kUnit) return Number();
    const double most = larger(0, link.place == Units::kAbove ? -link.argument.low() : link.argument.high);
    return Number(Interval::between(0, most));
  }

  // Backward through the layers ------------------------------------------------------------------------------------

  void touch(std::size_t node) {
    pending_.resize(facts_.network.nodes.size());
    std::vector<Number>& row = pending_[node];
    if (row.empty()) row.resize(at(facts_.network.nodes[node].size));
    top_ = std::max(top_, node);
  }

  void put_on(std::size_t node, Index element, const Number& coefficient) {
    touch(node);
    Number& entry = pending_[node][at(element)];
    entry = entry + coefficient;
  }

  void put(const Functional::Part& part, double factor) {
    if (part.what == Functional::What::kElement) return put_on(part.node, part.number, Number(factor));
    if (part.what == Functional::What::kUnitArgument) {
      const Unit& unit = facts_.units[at(facts_.listed[at(part.number)])];
      return put_on(facts_.argument_of(unit.node), unit.element, Number(factor));
    }
    const Inequality& inequality = *inequalities_[at(part.number)];
    put_terms(facts_.network.output_places, inequality.outputs, factor);
    put_terms(facts_.network.input_places, inequality.inputs, factor);
    pending_constant_ = pending_constant_ - Number(inequality.bound) * Number(factor);
  }

  void put_terms(const std::vector<Place>& places, const std::vector<Inequality::Term>& terms, double factor) {
    for (const auto& [position, coefficient] : terms) {
      const auto after = std::upper_bound(places.begin(), places.end(), position,
                                          [](Index p, const Place& place) { return p < place.offset; });
      put_on((after - 1)->node, position - (after - 1)->offset, Number(coefficient) * Number(factor));
    }
  }

  // The row of what was put, with all undecided units as they are.
  KeptRow swept() {
    Row row = empty_row();
    sweep(row, [&](std::size_t k, const Number& v) {
      row.units[k] = row.units[k] + v;
      return Number();
    });
    return KeptRow(row);
  }

  // Moves what was put to the inputs. at_unit(k, v) gets the coefficient of each undecided unit and returns that of its
  // argument.
  template <class AtUnit>
  void sweep(Row& row, const AtUnit& at_unit) {
    row.constant = row.constant + std::exchange(pending_constant_, Number());
    pending_.resize(facts_.network.nodes.size());
    for (std::size_t id = std::exchange(top_, 0) + 1; id-- > 0;) {
      if (pending_[id].empty()) continue;
      const std::vector<Number> leaving = std::exchange(pending_[id], {});
      const Node& node = facts_.network.nodes[id];
      if (const auto* input = std::get_if<Input>(&node.op)) {
        for (std::size_t i = 0; i < leaving.size(); ++i) {
          Number& entry = row.inputs[at(input->offset) + i];
          entry = entry + leaving[i];
        }
      } else if (std::holds_alternative<Relu>(node.op)) {
        leave_relu(id, leaving, at_unit);
      } else if (const auto* maximum = std::get_if<Maximum>(&node.op)) {
        leave_maximum(id, *maximum, leaving, row, at_unit);
      } else {
        for (const std::size_t argument : node.arguments) touch(argument);
        for (std::size_t i = 0; i < leaving.size(); ++i) {
          if (!is_zero(leaving[i])) pull_back(node, std::get<Affine>(node.op), i, leaving[i], pending_, row.constant);
        }
      }
      top_ = 0;
    }
  }

  template <class AtUnit>
  void leave_relu(std::size_t id, const std::vector<Number>& leaving, const AtUnit& at_unit) {
    const std::size_t argument = facts_.argument_of(id);
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      const Index k = facts_.unit_at[id].empty() ? -1 : facts_.unit_at[id][i];
      if (k >= 0 && (!is_zero(leaving[i]) || has_multiplier_in_sweep(at(k)))) {
        const Number m = at_unit(at(k), leaving[i]);
        if (!is_zero(m)) put_on(argument, static_cast<Index>(i), m);
      } else if (k < 0 && !is_zero(leaving[i]) && facts_.bounds[argument][i].low() >= 0) {
        put_on(argument, static_cast<Index>(i), leaving[i]);
      }
    }
  }

  bool has_multiplier_in_sweep(std::size_t k) const { return !with_rows_ && has_multiplier(k); }

  template <class AtUnit>
  void leave_maximum(std::size_t id, const Maximum& maximum, const std::vector<Number>& leaving, Row& row,
                     const AtUnit& at_unit) {
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      if (is_zero(leaving[i])) continue;
      const auto chain = facts_.chain_at[id].find(static_cast<Index>(i));
      if (chain != facts_.chain_at[id].end()) {
        leave_chain(facts_.chains[chain->second], leaving[i], row, at_unit);
      } else {
        leave_along_lines(id, maximum, i, leaving[i], row);
      }
    }
  }

  // w is the coefficient of L_j = L_(j-1) + relu(x_member - L_(j-1)). If m passes to the argument of the relu, L_(j-1)
  // keeps w - m.
  template <class AtUnit>
  void leave_chain(const Chain& chain, const Number& v, Row& row, const AtUnit& at_unit) {
    const std::size_t argument = facts_.argument_of(chain.node);
    Number w = v;
    row.constant = row.constant + v * Number(Interval::between(0, chain.left_out));
    for (std::size_t j = chain.links.size(); j-- > 0;) {
      const Chain::Link& link = chain.links[j];
      row.constant = row.constant + w * slack_of(link);
      if (link.place == Units::kBelow) continue;
      const Number m = link.place == Units::kAbove ? w : at_unit(at(link.unit), w);
      put_on(argument, link.member, m);
      w = w - m;
    }
    put_on(argument, chain.first, w);
  }

  void leave_along_lines(std::size_t id, const Maximum& maximum, std::size_t i, const Number& v, Row& row) {
    const std::size_t argument = facts_.argument_of(id);
    const MaximumLines lines = lines_of(maximum, i, facts_.bounds[argument]);
    const bool has_sign = round_down(v) >= 0 || round_up(v) <= 0;
    if (lines.is_decided() || with_rows_ || !has_sign) {  // the leader, or a little more; a row needs both signs
      row.constant = row.constant + v * Number(Interval::between(0, lines.ahead));
      return put_on(argument, lines.leader, v);
    }
    if (round_down(v) >= 0) return put_on(argument, lines.leader, v);
    for (const auto& [member, slope] : lines.above) put_on(argument, member, v * Number(slope));
    row.constant = row.constant + v * Number(lines.intercept);
  }

  static constexpr std::size_t kMostElementRows = 64;

  const Facts& facts_;
  const Inequalities& inequalities_;
  bool with_rows_ = true, no_point_ = false, broken_ = false;
  const Choice* choice_ = nullptr;
  std::vector<std::optional<KeptRow>> unit_rows_;
  std::unordered_map<Index, std::optional<KeptRow>> functional_rows_, element_rows_;
  std::unordered_map<Index, std::optional<AffineForm<Number>>> unit_forms_;
  std::size_t element_node_ = 0;
  std::vector<std::vector<Number>> pending_;  // rows over nodes' elements on their way to the inputs
  Number pending_constant_;
  std::size_t top_ = 0;  // the last node of what is pending
};

}  // namespace checker
