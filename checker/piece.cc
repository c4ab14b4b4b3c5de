#include "piece.h"

#include <set>
#include <tuple>

#include "error.h"

namespace checker {
namespace {

// Rows of this many numbers are kept; with more, functionals go through the layers each time.
constexpr std::size_t kMostInRows = std::size_t{1} << 27;

Box box_of(const Region& region) {
  if (const auto* box = std::get_if<Box>(&region)) return *box;
  if (const auto* polytope = std::get_if<Polytope>(&region)) return polytope->box;
  return std::get<Ball>(region).domain;
}

}  // namespace

void Facts::improve(std::size_t node, Index element, double low, double high) {
  Interval& known = bounds[node][at(element)];
  known = Interval::between(larger(known.low(), low), smaller(known.high, high));
  if (!(known.low() <= known.high)) is_empty = true;
  if (is_empty && !std::holds_alternative<Polytope>(region))
    throw Rejected("bounds of a region that has points cross: this program is wrong");
}

Piece::Piece(const Network& network, Region region, const std::vector<const Inequality*>& inequalities,
             Arithmetic arithmetic)
    : facts_{network, std::move(region), {}, {}, {}, {}, {}, {}, {}, false},
      arithmetic_(arithmetic),
      intervals_(facts_, inequalities),
      exact_(facts_, inequalities) {
  uses_.resize(network.nodes.size());
  for (const Node& node : network.nodes) {
    for (const std::size_t argument : node.arguments) ++uses_[argument];
  }
  for (const NetworkOutput& output : network.outputs) ++uses_[output.node];
  facts_.unit_at.resize(network.nodes.size());
  facts_.chain_at.resize(network.nodes.size());
}

// Calls what() with the substitution of the arithmetic in use.
template <class Do>
auto Piece::in_arithmetic(const Do& what) {
  return arithmetic_ == Arithmetic::kExact ? what(exact_) : what(intervals_);
}

double Piece::lower_bound(const Functional& functional, const Choice& choice, double enough) {
  double bound = -HUGE_VAL;
  if (arithmetic_ == Arithmetic::kIntervals) bound = intervals_.lower_bound(functional, choice);
  if (bound > enough || (arithmetic_ == Arithmetic::kIntervals && enough == -HUGE_VAL)) return bound;
  return larger(bound, exact_.lower_bound(functional, choice));
}

void Piece::bound_nodes(const Units* listed, const UnitNodes& nodes) {
  for (std::size_t k = 0; listed != nullptr && k < listed->units.size(); ++k) {
    const Units::Unit& unit = listed->units[k];
    if (unit.name < std::ssize(nodes)) hinted_.emplace(nodes[at(unit.name)], unit.element);
  }
  std::vector<Interval> inputs;
  const Box box = box_of(facts_.region);
  for (std::size_t i = 0; i < box.low.size(); ++i) inputs.push_back(Interval::between(box.low[i], box.high[i]));
  for (std::size_t id = 0; id < facts_.network.nodes.size() && !is_empty(); ++id) {
    const Node& node = facts_.network.nodes[id];
    facts_.bounds.push_back(value_of_node(node, facts_.bounds, inputs));
    if (std::holds_alternative<Maximum>(node.op)) restart();  // it may be replaced along lines from here on
    const std::size_t first = first_of_map(id);
    for (Index i = 0; first != id && i < node.size; ++i) {
      Rows row;
      row[id].resize(at(node.size));
      row[id][at(i)] = 1;
      const std::size_t read = facts_.network.nodes[first].arguments[0];
      const Interval value = through_affine_nodes(std::move(row), [&](std::size_t other) { return other == read; });
      facts_.improve(id, i, value.low(), value.high);
    }
    for (Index i = 0; is_image_of_polytope(id) && i < node.size && !is_empty(); ++i) bound_element(id, i);
    for (const Interval& value : facts_.bounds.back()) {
      if (!value.is_finite()) throw Rejected("node '" + node.name + "': numbers overflow");
    }
    // Arguments of units are bounded before anything else reads them.
    for (std::size_t reader = id + 1; reader < facts_.network.nodes.size(); ++reader) {
      const Node& next = facts_.network.nodes[reader];
      if (next.has_units() && next.arguments[0] == id) bound_arguments(reader);
    }
  }
}

// Whether the node is the map of an affine image whose parameters satisfy inequalities.
bool Piece::is_image_of_polytope(std::size_t node) const {
  return std::holds_alternative<Polytope>(facts_.region) && node == facts_.network.input_places.at(0).node &&
         !std::holds_alternative<Input>(facts_.network.nodes[node].op);
}

bool Piece::is_undecided(std::size_t unit_node, Index element) const {
  const Interval& z = facts_.bounds[facts_.argument_of(unit_node)][at(element)];
  return (z.low() < 0 && z.high > 0) ||
         (is_decided_by_rounding(z.low(), z.high) && hinted_.contains({unit_node, element}));
}

void Piece::bound_element(std::size_t node, Index element) {
  Functional functional;
  functional.parts.push_back({Functional::What::kElement, node, element, 1});
  const double low = lower_bound(functional, Choice());
  functional.parts[0].factor = -1;
  facts_.improve(node, element, low, -lower_bound(functional, Choice()));
}

// The first of the dense nodes that are one map with this one (rule 1): the node itself if there are none.
std::size_t Piece::first_of_map(std::size_t node) const {
  const std::vector<Node>& nodes = facts_.network.nodes;
  const auto affine = [&](std::size_t id) { return std::get_if<Affine>(&nodes[id].op); };
  const Affine* dense = affine(node);
  if (dense == nullptr || dense->rows == 0) return node;
  const auto is_constant = [&](std::size_t id) { return affine(id) != nullptr && nodes[id].arguments.empty(); };
  std::size_t before = node;
  do {
    const std::vector<std::size_t>& arguments = nodes[before].arguments;
    if (std::ranges::count_if(arguments, is_constant) + 1 != std::ssize(arguments)) return node;
    before = *std::ranges::find_if_not(arguments, is_constant);
    if (uses_[before] != 1) return node;
  } while (affine(before) != nullptr && affine(before)->is_elementwise);
  const Affine* earlier = affine(before);
  if (earlier == nullptr || earlier->rows != dense->rows) return node;
  const std::size_t first = first_of_map(before);
  const Index inputs = affine(first)->inputs;
  const bool is_smaller = dense->outputs * inputs <= dense->outputs * dense->inputs + earlier->outputs * inputs;
  return is_smaller ? first : node;
}

// Moves rows back until only nodes are left that may have any value within their bounds.
template <class IsBox>
Interval Piece::through_affine_nodes(Rows rows, const IsBox& is_box) const {
  Interval sum;
  while (!rows.empty()) {
    const auto last = std::prev(rows.end());
    const std::size_t id = last->first;
    const std::vector<Interval> row = std::move(last->second);
    rows.erase(last);
    const Node& here = facts_.network.nodes[id];
    for (const std::size_t argument : here.arguments) {
      if (!is_box(id)) rows[argument].resize(at(facts_.network.nodes[argument].size));
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].is_zero()) continue;
      if (is_box(id)) {
        sum = sum + row[i] * facts_.bounds[id][i];
        continue;
      }
      pull_back(here, std::get<Affine>(here.op), i, row[i], rows, sum);
    }
  }
  return sum;
}

double Piece::bound_by_values(const Inequality& inequality) const {
  Rows rows;
  const auto add = [&](const std::vector<Place>& places, const std::vector<Inequality::Term>& terms) {
    for (const auto& [position, coefficient] : terms) {
      const auto after = std::ranges::upper_bound(places, position, {}, &Place::offset);
      const Place& place = *(after - 1);
      rows[place.node].resize(at(facts_.network.nodes[place.node].size));
      Interval& entry = rows[place.node][at(position - place.offset)];
      entry = entry + Interval(coefficient);
    }
  };
  add(facts_.network.output_places, inequality.outputs);
  add(facts_.network.input_places, inequality.inputs);
  const Interval sum = through_affine_nodes(std::move(rows), [&](std::size_t id) {
    return !std::holds_alternative<Affine>(facts_.network.nodes[id].op) || is_image_of_polytope(id);
  });
  return (sum - Interval(inequality.bound)).low();
}

void Piece::bound_arguments(std::size_t unit_node) {
  const Node& node = facts_.network.nodes[unit_node];
  const std::size_t argument = node.arguments[0];
  if (const auto* maximum = std::get_if<Maximum>(&node.op)) {
    std::set<Index> members;
    for (std::size_t i = 0; i < at(node.size); ++i) {
      const MaximumLines lines = lines_of(*maximum, i, facts_.bounds[argument]);
      if (lines.is_decided()) continue;
      const double floor = facts_.bounds[argument][at(lines.leader)].low();
      for (Index m = maximum->offsets[i]; m < maximum->offsets[i + 1]; ++m) {
        const Index member = maximum->members[at(m)];
        if (member == lines.leader || facts_.bounds[argument][at(member)].high > floor) members.insert(member);
      }
    }
    for (const Index member : members) bound_element(argument, member);
    return;
  }
  for (Index i = 0; i < node.size && !is_empty(); ++i) {
    if (!is_undecided(unit_node, i) && !hinted_.contains({unit_node, i})) continue;
    bound_element(argument, i);
    if (is_undecided(unit_node, i)) add_unit({unit_node, i});
  }
}

void Piece::add_unit(const Unit& unit) {
  std::vector<Index>& here = facts_.unit_at[unit.node];
  here.resize(at(facts_.network.nodes[unit.node].size), -1);
  here[at(unit.element)] = std::ssize(facts_.units);
  facts_.units.push_back(unit);
  in_arithmetic([&](auto& substitution) { substitution.keep_row(facts_.units.size() - 1); });
}

// Rows are used unless a maximum has to be replaced along lines, or there would be too many.
void Piece::restart() {
  bool has_lines = false;
  for (std::size_t id = 0; id < facts_.bounds.size() && facts_.chains.empty(); ++id) {
    const Node& node = facts_.network.nodes[id];
    const auto* maximum = std::get_if<Maximum>(&node.op);
    for (std::size_t i = 0; maximum != nullptr && i < at(node.size) && !has_lines; ++i)
      has_lines = !lines_of(*maximum, i, facts_.bounds[node.arguments[0]]).is_decided();
  }
  const std::size_t width = at(facts_.network.input_size) + facts_.units.size();
  const bool fits = facts_.units.size() <= kMostInRows / width;
  const bool with_rows = !facts_.chains.empty() || (!has_lines && fits);
  intervals_.restart(with_rows);
  exact_.restart(with_rows);
}

void Piece::look_for_emptiness() {
  const auto is_nowhere = [&](const Box& box, const InputInequality& inequality) {
    std::vector<Exact> g(inequality.coefficients.begin(), inequality.coefficients.end());
    return (over_box(box, g) - Exact(inequality.bound)).low_end.sign() > 0;
  };
  if (const auto* polytope = std::get_if<Polytope>(&facts_.region)) {
    for (const InputInequality& inequality : polytope->inequalities)
      facts_.is_empty = facts_.is_empty || is_nowhere(polytope->box, inequality);
  }
  for (std::size_t id = 0; id < facts_.bounds.size(); ++id) {
    for (Index i = 0; i < facts_.network.nodes[id].size && !is_empty(); ++i) bound_element(id, i);
  }
}

Index Piece::expect_unit(Index unit) const {
  if (unit < 0 || unit >= std::ssize(facts_.listed)) throw Rejected("unit " + std::to_string(unit) + " is not listed");
  return unit;
}

// The listed units, and all others that may have either sign, in the order of evaluation.
std::vector<Unit> Piece::sorted_units(const Units& record, const UnitNodes& nodes) const {
  std::vector<Unit> units;
  std::vector<std::vector<bool>> is_listed(facts_.network.nodes.size());
  for (std::size_t k = 0; k < record.units.size(); ++k) {
    const Units::Unit& unit = record.units[k];
    if (unit.name >= std::ssize(nodes)) throw Rejected("a unit of a node without a name");
    const std::size_t node = nodes[at(unit.name)];
    if (unit.element >= facts_.network.nodes[node].size) throw Rejected("a unit that does not exist");
    units.push_back({node, unit.element, -1, 0, static_cast<Index>(k), -1});
    is_listed[node].resize(at(facts_.network.nodes[node].size));
    is_listed[node][at(unit.element)] = true;
  }
  for (std::size_t c = 0; c < record.chains.size(); ++c) {
    for (std::size_t j = 0; j < record.chains[c].links.size(); ++j) {
      const Units::Link& link = record.chains[c].links[j];
      if (link.place != Units::kUnit) continue;
      if (link.unit >= std::ssize(units)) throw Rejected("a link that is no listed unit");
      Unit& unit = units[at(link.unit)];
      const bool is_its = unit.chain < 0 && record.chains[c].name < std::ssize(nodes) &&
                          unit.node == nodes[at(record.chains[c].name)] && unit.element == record.chains[c].element;
      if (!is_its) throw Rejected("a unit that is not the link of this chain alone");
      unit.chain = static_cast<Index>(c);
      unit.link = j;
    }
  }
  for (const Unit& unit : units) {
    if (std::holds_alternative<Maximum>(facts_.network.nodes[unit.node].op) != (unit.chain >= 0))
      throw Rejected("a unit of a maximum that is not in a chain");
  }
  for (std::size_t id = 0; id < facts_.network.nodes.size(); ++id) {
    const Node& node = facts_.network.nodes[id];
    if (!std::holds_alternative<Relu>(node.op)) continue;
    for (std::size_t i = 0; i < at(node.size); ++i) {
      const bool is_there = !is_listed[id].empty() && is_listed[id][i];
      if (!is_there && is_undecided(id, static_cast<Index>(i))) units.push_back({id, static_cast<Index>(i)});
    }
  }
  const auto place = [](const Unit& unit) { return std::tuple(unit.node, unit.element, unit.link); };
  std::stable_sort(units.begin(), units.end(), [&](const Unit& a, const Unit& b) { return place(a) < place(b); });
  const auto same = [&](const Unit& a, const Unit& b) { return place(a) == place(b); };
  if (std::adjacent_find(units.begin(), units.end(), same) != units.end()) throw Rejected("a unit is listed twice");
  return units;
}

void Piece::list_units(const Units& record, const UnitNodes& nodes) {
  if (is_empty()) return;
  std::vector<Unit> units = sorted_units(record, nodes);
  const auto same = [](const Unit& a, const Unit& b) {
    return a.node == b.node && a.element == b.element && a.chain < 0 && b.chain < 0;
  };
  const bool rows_stay = record.chains.empty() && facts_.chains.empty() &&
                         std::equal(units.begin(), units.end(), facts_.units.begin(), facts_.units.end(), same);
  facts_.units = std::move(units);
  facts_.listed.assign(record.units.size(), -1);
  facts_.coordinates.clear();
  cuts_.clear();
  for (std::vector<Index>& of_node : facts_.unit_at) of_node.clear();
  for (std::size_t k = 0; k < facts_.units.size(); ++k) {
    const Unit& unit = facts_.units[k];
    if (unit.listed >= 0) facts_.listed[at(unit.listed)] = static_cast<Index>(k);
    if (unit.chain >= 0) continue;
    facts_.unit_at[unit.node].resize(at(facts_.network.nodes[unit.node].size), -1);
    facts_.unit_at[unit.node][at(unit.element)] = static_cast<Index>(k);
  }
  intervals_.forget_forms();
  exact_.forget_forms();
  if (!rows_stay) {
    add_chains(record, nodes);
    restart();
    for (const auto& of_node : facts_.chain_at) {
      for (const auto& [element, chain] : of_node) bound_links(facts_.chains[chain]);
    }
  }
  for (const Unit& unit : facts_.units) {
    const Interval& known = facts_.bounds_of(unit);
    const bool is_decided = known.low() >= 0 || known.high <= 0;  // but for rounding, which the prover cannot tell
    if (unit.listed >= 0 && unit.chain < 0 && is_decided) bound_element(facts_.argument_of(unit.node), unit.element);
  }
  for (Unit& unit : facts_.units) {
    const Interval& bounds = facts_.bounds_of(unit);
    if (unit.listed >= 0) unit.slope = default_slope(bounds.low(), bounds.high);
  }
}

void Piece::add_chains(const Units& record, const UnitNodes& nodes) {
  facts_.chains.clear();
  for (auto& of_node : facts_.chain_at) of_node.clear();
  for (const Units::Chain& claimed : record.chains) {
    if (claimed.name >= std::ssize(nodes)) throw Rejected("a chain of a node without a name");
    Chain chain{nodes[at(claimed.name)], claimed.element, 0, {}, 0};
    const Node& node = facts_.network.nodes[chain.node];
    const auto* maximum = std::get_if<Maximum>(&node.op);
    if (maximum == nullptr || chain.element >= node.size) throw Rejected("a chain that belongs to no maximum");
    const Index from = maximum->offsets[at(chain.element)], to = maximum->offsets[at(chain.element) + 1];
    const auto member = [&](Index ordinal) -> Index {
      if (ordinal >= to - from) throw Rejected("a chain with a member that does not exist");
      return maximum->members[at(from + ordinal)];
    };
    chain.first = member(claimed.first);
    std::set<Index> in_chain{chain.first};
    for (const Units::Link& link : claimed.links) {
      if (link.place > Units::kAbove) throw Rejected("a link of an unknown kind");
      const Index unit = link.place == Units::kUnit ? facts_.listed[at(link.unit)] : -1;
      chain.links.push_back({member(link.member), link.place, unit, {}});
      in_chain.insert(chain.links.back().member);
    }
    const std::vector<Interval>& bounds = facts_.bounds[node.arguments[0]];
    for (Index m = from; m < to; ++m) {
      const Index other = maximum->members[at(m)];
      if (!in_chain.contains(other))
        chain.left_out = larger(chain.left_out, bounds[at(other)].high - bounds[at(chain.first)].low());
    }
    if (!facts_.chain_at[chain.node].emplace(chain.element, facts_.chains.size()).second)
      throw Rejected("two chains of one maximum");
    facts_.chains.push_back(std::move(chain));
  }
}

void Piece::bound_links(Chain& chain) {
  for (std::size_t j = 0; j < chain.links.size(); ++j) {
    const auto bound = [&](bool negated) {
      return in_arithmetic([&](auto& substitution) { return substitution.bound_of_link(chain, j, negated); });
    };
    chain.links[j].argument = Interval::between(bound(false), -bound(true));
    if (!chain.links[j].argument.is_finite()) throw Rejected("a link of a chain: numbers overflow");
  }
}

void Piece::set_coordinates(const Coordinates& record) {
  if (!facts_.coordinates.empty()) throw Rejected("other coordinates may be in use");
  for (const Coordinates::Coordinate& u : record.coordinates) {
    if (u.input >= facts_.network.input_size || u.radius < 0) throw Rejected("a coordinate that does not exist");
  }
  facts_.coordinates = record.coordinates;
}

std::vector<std::pair<double, double>> Piece::whole_coordinates() const {
  const Box box = box_of(facts_.region);
  std::vector<std::pair<double, double>> result;
  for (const Coordinates::Coordinate& u : facts_.coordinates) {
    const Interval x = Interval::between(box.low[at(u.input)], box.high[at(u.input)]);
    const Interval range = u.radius == 0 ? Interval::between(-1, 1) : (x - Interval(u.centre)) / Interval(u.radius);
    result.emplace_back(range.low(), range.high);
  }
  return result;
}

Functional Piece::argument_of(Index unit, double factor) const {
  Functional functional;
  functional.parts.push_back({Functional::What::kUnitArgument, 0, expect_unit(unit), factor});
  return functional;
}

void Piece::tighten(const Tight& record) {
  if (is_empty()) return;
  const Unit& unit = facts_.units[place_of(expect_unit(record.unit))];
  const double low = lower_bound(argument_of(record.unit, 1), {.slope = record.slope_below});
  const double high = -lower_bound(argument_of(record.unit, -1), {.slope = record.slope_above});
  if (unit.chain < 0) return improve(facts_.argument_of(unit.node), unit.element, low, high);
  Interval& known = facts_.chains[at(unit.chain)].links[unit.link].argument;
  known = Interval::between(larger(known.low(), low), smaller(known.high, high));
  if (known.low() > known.high) facts_.is_empty = true;
}

void Piece::improve(std::size_t node, Index element, double low, double high) {
  facts_.improve(node, element, low, high);
  intervals_.forget_forms();
  exact_.forget_forms();
}

std::vector<std::int8_t> Piece::sides(const std::vector<Decision>& decisions) const {
  std::vector<std::int8_t> sides(units(), 0);
  for (const Decision& decision : decisions) sides[at(expect_unit(decision.unit))] = decision.active ? 1 : -1;
  return sides;
}

void Piece::narrow(const Functional& functional, const Choice& choice, const std::vector<Narrow::End>& ends,
                   Ranges& ranges) {
  in_arithmetic([&](auto& substitution) {
    const auto at_most_zero = substitution.form(functional, choice);
    if (substitution.found_no_point()) ranges.none = true;
    for (const Narrow::End& end : ends) {
      const bool upper = end.unit_and_side % 2 == 1;
      const Index unit = expect_unit(end.unit_and_side / 2);
      if (!(end.factor >= 0)) throw Rejected("a range with a negative factor");
      const double bound = substitution.bound_where(unit, upper, end.factor, at_most_zero);
      ranges.units[at(unit)].narrow(upper, upper ? -bound : bound, end.claimed);
    }
    return 0;
  });
}

}  // namespace checker
