// Records of trees: the part of Check that confirms them (rules 6 to 10 of docs/certificates.md).
#include <algorithm>

#include "check.h"
#include "error.h"

namespace checker {
void Check::on(const Tree& record) {
  outside_of_trees();
  std::vector<const Cut*> cuts;
  for (const Index functional : record.functionals) expect_functional(functional);
  for (const Index number : record.cuts) cuts.push_back(piece().is_empty() ? nullptr : &piece().cut(number));
  trees_.emplace(Trees{record.functionals, std::move(cuts), 0, {}, Subproblems(record.functionals.size()), {}});
}

void Check::on(const Elements& record) {
  if (record.name >= std::ssize(named_)) throw Rejected("a node without a name");
  const std::size_t first = mapped_ ? mapped_->nodes.size() - network_.nodes.size() : 0;
  const Facts& facts = outside_of_trees().facts();
  const std::size_t node = facts.argument_of(named_[at(record.name)] + first);
  for (const Index element : record.elements) {
    if (element >= facts.network.nodes[node].size) throw Rejected("an element that does not exist");
  }
  const std::size_t targets = 2 * record.elements.size();
  trees_.emplace(Trees{{}, {}, node, record.elements, Subproblems(targets), std::vector<double>(targets, HUGE_VAL)});
}

void Check::on(const Split& record) {
  if (!piece().is_empty()) piece().expect_unit(record.unit);
  trees().open.split(record.subproblem, record.unit);
}

// At a point of the conjunction, each of its functionals is at most zero: adding them only lowers the sum.
void Check::add_constraints(Index target, const Terms& constraints, Functional& sum) const {
  for (const auto& [functional, factor] : constraints) {
    expect_functional(functional);
    if (conjunction_of_[at(functional)] != conjunction_of_[at(target)] || !(factor >= 0))
      throw Rejected("a constraint of another conjunction, or with a negative factor");
    sum.parts.push_back({Functional::What::kFunctional, 0, functional, factor});
  }
}

Functional Check::functional_of(const Subproblem& subproblem, const Terms& constraints) const {
  Functional sum;
  if (trees_->elements.empty()) {
    const Index target = trees_->functionals[subproblem.target];
    sum.parts.push_back({Functional::What::kFunctional, 0, target, 1});
    add_constraints(target, constraints, sum);
  } else {
    if (!constraints.empty()) throw Rejected("constraints in a tree about an element");
    const double sign = subproblem.target % 2 == 0 ? 1 : -1;
    sum.parts.push_back({Functional::What::kElement, trees_->node, trees_->elements[subproblem.target / 2], sign});
  }
  return sum;
}

Check::Bounding Check::bounding_of(const Subproblem& subproblem, const Choices& choices) {
  Bounding bounding{functional_of(subproblem, choices.constraints),
                    {.slope = choices.slope,
                     .multiplier = choices.multiplier,
                     .side = piece().sides(subproblem.decisions),
                     .ranges = subproblem.ranges.get()}};
  for (std::size_t c = 0; c < trees().cuts.size(); ++c) {
    const Cut& cut = *trees().cuts[c];
    const double weight = choices.weight[c];
    if (!cut.is_joint()) {
      if (weight > 0) bounding.choice.cuts[cut.row.bounded[0].first].emplace_back(&cut, weight);
      continue;
    }
    if (!(weight >= 0)) throw Rejected("a joint cut with a negative weight");
    if (weight > 0) piece().add_excess(cut.row, weight, bounding.functional);
  }
  return bounding;
}

void Check::on(const Narrow& record) {
  Subproblem& subproblem = trees().open.at(record.subproblem);
  if (piece().is_empty()) return;
  const Bounding bounding = bounding_of(subproblem, record.choices);
  auto ranges = std::make_shared<Ranges>(subproblem.ranges ? *subproblem.ranges : piece().whole_ranges());
  piece().narrow(bounding.functional, bounding.choice, record.ends, *ranges);
  subproblem.ranges = std::move(ranges);
}

void Check::on(const Close& record) {
  const Subproblem& subproblem = trees().open.at(record.subproblem);
  if (!piece().is_empty()) {
    const Bounding bounding = bounding_of(subproblem, record.choices);
    const double bound = piece().lower_bound(bounding.functional, bounding.choice, 0);
    if (!trees().elements.empty()) {
      double& least = trees().least[subproblem.target];
      least = smaller(least, bound);
    } else if (!(bound > 0)) {
      throw Rejected("subproblem " + std::to_string(record.subproblem) + ": only " + std::to_string(bound) +
                     " is proven");
    }
  }
  trees().open.close(record.subproblem);
  ++counts_.closed;
}

void Check::on(const BoundBelow& record) {
  Subproblem& subproblem = trees().open.at(record.subproblem);
  if (trees().elements.empty()) throw Rejected("a bound in a tree about a functional");
  if (piece().is_empty()) return;
  const Bounding bounding = bounding_of(subproblem, record.choices);
  subproblem.bound = larger(subproblem.bound, piece().lower_bound(bounding.functional, bounding.choice));
}

// Some range leaves no point.
void Check::on(const Bare& record) {
  const Subproblem& subproblem = trees().open.at(record.subproblem);
  bool is_bare = piece().is_empty() || (subproblem.ranges && subproblem.ranges->none);
  const std::vector<std::int8_t> sides = piece().sides(subproblem.decisions);
  for (std::size_t k = 0; k < piece().units() && !is_bare; ++k) {
    const Interval& whole = piece().bounds_of(static_cast<Index>(k));
    const Range range = subproblem.ranges ? subproblem.ranges->units[k] : Range();
    const double low = larger(larger(whole.low(), range.low), sides[k] > 0 ? 0 : -HUGE_VAL);
    const double high = smaller(smaller(whole.high, range.high), sides[k] < 0 ? 0 : HUGE_VAL);
    is_bare = low > high;
  }
  if (subproblem.ranges) {
    for (const auto& [low, high] : subproblem.ranges->coordinates) is_bare = is_bare || low > high;
  }
  if (!is_bare) throw Rejected("subproblem " + std::to_string(record.subproblem) + " may have points");
  trees().open.close(record.subproblem);
  ++counts_.closed;
}

// Without the functional, the sum is at most zero at every unsafe point: a positive bound proves that there is none.
void Check::on(const Program& record) {
  const Subproblem& subproblem = trees().open.at(record.subproblem);
  if (!trees().elements.empty()) throw Rejected("a program in a tree about an element");
  if (!piece().is_empty()) {
    Functional sum = functional_of(subproblem, {});
    if (record.empty) sum.parts.clear();
    add_constraints(trees().functionals[subproblem.target], record.constraints, sum);
    const Choice choice{.passed = record.passed,
                        .side = piece().sides(subproblem.decisions),
                        .ranges = subproblem.ranges.get(),
                        .on_region = record.on_region};
    if (!piece().is_positive(sum, choice))
      throw Rejected("subproblem " + std::to_string(record.subproblem) + " is not closed by this");
  }
  trees().open.close(record.subproblem);
  ++counts_.closed;
}

void Check::on(const TreeEnd&) {
  if (!trees().elements.empty()) misplaced();
  for (std::size_t t = 0; t < trees().functionals.size(); ++t) {
    if (trees().open.all_closed(t)) refuted_[conjunction_of_[at(trees().functionals[t])]] = true;
  }
  trees_.reset();
}

// All bounds hold where the target is not positive. Elsewhere it is at least zero.
void Check::on(const ElementsEnd&) {
  const Trees& ended = trees();
  if (ended.elements.empty()) misplaced();
  for (std::size_t e = 0; e < ended.elements.size() && !piece().is_empty(); ++e) {
    const auto bound = [&](std::size_t t) { return smaller(0, smaller(ended.least[t], ended.open.least_bound(t))); };
    piece().improve(ended.node, ended.elements[e], bound(2 * e), -bound(2 * e + 1));
  }
  trees_.reset();
}

// Implications -------------------------------------------------------------------------------------------------------

// premise <= limit
Functional Check::premise_of(const Imply::Implication& claim, const Subproblem& subproblem, const Ranges& ranges,
                             double& limit) {
  if (claim.from == Imply::kFunctional) {
    limit = 0;
    Functional sum;
    add_constraints(trees().functionals[subproblem.target], {{claim.premise, 1.0}}, sum);
    return sum;
  }
  const Index unit = piece().expect_unit(claim.premise);
  const Interval& whole = piece().bounds_of(unit);
  const Range& range = ranges.units[at(unit)];
  const bool upper = claim.from == Imply::kUpperEnd;
  limit = upper ? smaller(whole.high, range.high) : -larger(whole.low(), range.low);
  return piece().argument_of(unit, upper ? 1 : -1);
}

void Check::take_implied(const Imply::Implication& claim, double bound, Ranges& ranges) const {
  if (claim.about == Imply::kCoordinate) {
    auto& [low, high] = ranges.coordinates[at(claim.number)];
    (claim.upper ? high : low) = claim.upper ? smaller(high, bound) : larger(low, bound);
    return;
  }
  Range& range = ranges.units[at(claim.number)];
  const bool is_value = claim.from != Imply::kArgument;  // of the unit, not its argument
  if (claim.upper) {
    range.high = smaller(range.high, larger(bound, is_value ? 0.0 : -HUGE_VAL));
    range.seen_high = smaller(range.seen_high, claim.claimed);
    if (is_value && bound < 0) ranges.none = true;
  } else {
    if (!is_value || bound > 0) range.low = larger(range.low, bound);
    if (!is_value || claim.claimed > 0) range.seen_low = larger(range.seen_low, claim.claimed);
  }
}

void Check::on(const Imply& record) {
  Subproblem& subproblem = trees().open.at(record.subproblem);
  if (!trees().elements.empty()) throw Rejected("implications in a tree about an element");
  if (piece().is_empty()) return;
  auto ranges = std::make_shared<Ranges>(subproblem.ranges ? *subproblem.ranges : piece().whole_ranges());
  if (ranges->coordinates.empty()) ranges->coordinates = piece().whole_coordinates();
  for (const Decision& decision : subproblem.decisions) {
    Range& range = ranges->units[at(decision.unit)];
    if (decision.active) {
      range.low = larger(range.low, 0);
      range.seen_low = larger(range.seen_low, 0);
    } else {
      range.high = smaller(range.high, 0);
      range.seen_high = smaller(range.seen_high, 0);
    }
  }
  for (const Imply::Implication& claim : record.implications) {
    const Index most =
        claim.about == Imply::kUnit ? static_cast<Index>(piece().units()) : std::ssize(piece().facts().coordinates);
    if (claim.from > Imply::kFunctional || claim.about > Imply::kContradiction ||
        (claim.about != Imply::kContradiction && claim.number >= most))
      throw Rejected("an implication about something that does not exist");
    Choice choice{.ranges = ranges.get(), .box = !claim.slope};
    if (claim.slope) choice.slope = *claim.slope;
    if (claim.from == Imply::kArgument) {
      if (claim.about != Imply::kUnit) throw Rejected("an implication of an argument about something else");
      const double bound = piece().lower_bound(piece().argument_of(claim.number, claim.upper ? -1 : 1), choice);
      take_implied(claim, claim.upper ? -bound : bound, *ranges);
      continue;
    }
    double limit = 0;
    Functional rest = premise_of(claim, subproblem, *ranges, limit);
    const double q = claim.coefficient;
    if (claim.about == Imply::kUnit) rest.on_units.push_back({claim.number, -q, 1});
    if (claim.about == Imply::kCoordinate) rest.on_coordinates.push_back({claim.number, -q, 1});
    const Interval room = Interval(limit) - Interval(piece().lower_bound(rest, choice));  // q x <= room
    if (claim.about == Imply::kContradiction) {
      if (room.high < 0) ranges->none = true;
      continue;
    }
    if (!(claim.upper ? q > 0 : q < 0)) throw Rejected("an implication with the wrong sign");
    const Interval end = room / Interval(q);
    take_implied(claim, claim.upper ? end.high : end.low(), *ranges);
  }
  subproblem.ranges = std::move(ranges);
}

}  // namespace checker
