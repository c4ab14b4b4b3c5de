// trees.h: trees of subproblems, about functionals or about elements of a node (rules 6 to 10 of docs/certificates.md).
//
// A subproblem is a set of decisions. Whatever is closed must have been open, and only an open one can be split, so
// that nothing is lost: when no subproblem is open, all have been closed.
//
// Throws: Rejected if a record does not make sense here, or does not prove what it claims.
#pragma once

#include <memory>
#include <unordered_map>

#include "error.h"
#include "piece.h"

namespace checker {

// The functionals of an unsafe set: its inequalities, and the conjunction of each.
struct Functionals {
  std::vector<const Inequality*> inequalities;
  std::vector<std::size_t> conjunction_of;

  void expect(Index functional) const {
    if (functional >= std::ssize(inequalities)) throw Rejected("an inequality that does not exist");
  }
};

class Trees {
 public:
  // Keeps references to the piece and the functionals.
  Trees(Piece& piece, const Functionals& unsafe, const Tree& record) : piece_(piece), unsafe_(unsafe) {
    functionals_ = record.functionals;
    for (const Index functional : functionals_) unsafe.expect(functional);
    for (const Index number : record.cuts) cuts_.push_back(piece.is_empty() ? nullptr : &piece.cut(number));
    begin(functionals_.size());
  }
  // Two targets for each element of the node, the element and its negative.
  Trees(Piece& piece, const Functionals& unsafe, const Elements& record, std::size_t node)
      : piece_(piece), unsafe_(unsafe), node_(node), elements_(record.elements) {
    for (const Index element : elements_) {
      if (element >= piece.facts().network.nodes[node].size) throw Rejected("an element that does not exist");
    }
    begin(2 * elements_.size());
  }

  std::int64_t closed() const { return closed_; }

  void on(const Split& record) {
    if (!piece_.is_empty()) piece_.expect_unit(record.unit);
    Subproblem child = open(record.subproblem);
    for (const Decision& decision : child.decisions) {
      if (decision.unit == record.unit) throw Rejected("a unit is decided twice");
    }
    open_.erase(record.subproblem);
    child.decisions.push_back({record.unit, false});
    open_[next_++] = child;
    child.decisions.back().active = true;
    ++open_of_target_[child.target];
    open_[next_++] = std::move(child);
  }

  void on(const Forget& record) { open(record.subproblem).ranges = nullptr; }

  void on(const Narrow& record) {
    Subproblem& subproblem = open(record.subproblem);
    if (piece_.is_empty()) return;
    const Bounding bounding = bounding_of(subproblem, record.choices);
    Ranges ranges = ranges_of(subproblem);
    piece_.narrow(bounding.functional, bounding.choice, record.ends, ranges);
    subproblem.ranges = std::make_shared<Ranges>(std::move(ranges));
  }

  void on(const Close& record) {
    const Subproblem& subproblem = open(record.subproblem);
    if (!piece_.is_empty()) {
      const Bounding bounding = bounding_of(subproblem, record.choices);
      const double bound = piece_.lower_bound(bounding.functional, bounding.choice, 0);
      if (!elements_.empty()) {
        least_[subproblem.target] = smaller(least_[subproblem.target], bound);
      } else if (!(bound > 0)) {
        refuse(record.subproblem, "only " + std::to_string(bound) + " is proven");
      }
    }
    close(record.subproblem);
  }

  void on(const BoundBelow& record) {
    Subproblem& subproblem = open(record.subproblem);
    if (elements_.empty()) throw Rejected("a bound in a tree about a functional");
    if (piece_.is_empty()) return;
    const Bounding bounding = bounding_of(subproblem, record.choices);
    subproblem.bound = larger(subproblem.bound, piece_.lower_bound(bounding.functional, bounding.choice));
  }

  // Some range leaves no point.
  void on(const Bare& record) {
    const Subproblem& subproblem = open(record.subproblem);
    bool is_bare = piece_.is_empty();
    if (!is_bare) {
      const Ranges ranges = ranges_of(subproblem);
      const std::vector<std::int8_t> sides = piece_.sides(subproblem.decisions);
      is_bare = ranges.none;
      for (std::size_t k = 0; k < piece_.units() && !is_bare; ++k) {
        const auto [low, high] = ends_of(static_cast<Index>(k), ranges);
        is_bare = larger(low, sides[k] > 0 ? 0 : -HUGE_VAL) > smaller(high, sides[k] < 0 ? 0 : HUGE_VAL);
      }
      for (const auto& [low, high] : ranges.coordinates) is_bare = is_bare || low > high;
    }
    if (!is_bare) refuse(record.subproblem, "it may have points");
    close(record.subproblem);
  }

  // Without the functional, the sum is at most zero at every unsafe point: a positive bound proves that there is none.
  void on(const Program& record) {
    const Subproblem& subproblem = open(record.subproblem);
    expect_functionals();
    if (!piece_.is_empty()) {
      Functional sum = functional_of(subproblem, {});
      if (record.empty) sum.parts.clear();
      add_constraints(subproblem, record.constraints, sum);
      const Choice choice{.passed = record.passed,
                          .side = piece_.sides(subproblem.decisions),
                          .ranges = subproblem.ranges.get(),
                          .on_region = record.on_region};
      if (!(piece_.lower_bound(sum, choice, 0) > 0)) refuse(record.subproblem, "not closed by this");
    }
    close(record.subproblem);
  }

  void on(const Imply& record) {
    Subproblem& subproblem = open(record.subproblem);
    expect_functionals();
    if (piece_.is_empty()) return;
    Ranges ranges = ranges_of(subproblem);
    if (ranges.coordinates.empty()) ranges.coordinates = piece_.whole_coordinates();
    for (const auto& [unit, active] : subproblem.decisions) ranges.units[at(unit)].narrow(!active, 0, 0);
    for (const Imply::Implication& claim : record.implications) take(claim, subproblem, ranges);
    subproblem.ranges = std::make_shared<Ranges>(std::move(ranges));
  }

  // The conjunctions of which a target has no open subproblem.
  std::vector<std::size_t> on(const TreeEnd&) const {
    expect_functionals();
    std::vector<std::size_t> refuted;
    for (std::size_t t = 0; t < functionals_.size(); ++t) {
      if (open_of_target_[t] == 0) refuted.push_back(unsafe_.conjunction_of[at(functionals_[t])]);
    }
    return refuted;
  }

  // All bounds hold where the target is not positive. Elsewhere it is at least zero.
  void on(const ElementsEnd&) {
    if (elements_.empty()) throw Rejected("the end of other trees");
    for (const auto& [number, subproblem] : open_)
      least_[subproblem.target] = smaller(least_[subproblem.target], subproblem.bound);
    for (std::size_t e = 0; e < elements_.size() && !piece_.is_empty(); ++e)
      piece_.improve(node_, elements_[e], smaller(0, least_[2 * e]), -smaller(0, least_[2 * e + 1]));
  }

 private:
  struct Subproblem {
    std::size_t target = 0;
    std::vector<Decision> decisions = {};
    std::shared_ptr<const Ranges> ranges = nullptr;  // null: those of the piece
    double bound = -HUGE_VAL;                        // of the target, where it is not positive
  };
  struct Bounding {
    Functional functional;
    Choice choice;
  };

  void begin(std::size_t targets) {
    open_of_target_.assign(targets, 1);
    least_.assign(targets, HUGE_VAL);
    for (std::size_t t = 0; t < targets; ++t) open_[next_++] = {t};
  }

  [[noreturn]] static void refuse(Index number, const std::string& why) {
    throw Rejected("subproblem " + std::to_string(number) + ": " + why);
  }
  void expect_functionals() const {
    if (!elements_.empty()) throw Rejected("it does not belong in a tree about elements");
  }

  Subproblem& open(Index number) {
    const auto found = open_.find(number);
    if (found == open_.end()) refuse(number, "not open");
    return found->second;
  }
  void close(Index number) {
    --open_of_target_[open(number).target];
    open_.erase(number);
    ++closed_;
  }

  Ranges ranges_of(const Subproblem& subproblem) const {
    return subproblem.ranges ? *subproblem.ranges : Ranges{std::vector<Range>(piece_.units()), {}, false};
  }

  // At a point of the conjunction, each of its functionals is at most zero: adding them only lowers the sum.
  void add_constraints(const Subproblem& subproblem, const Terms& constraints, Functional& sum) const {
    if (!constraints.empty()) expect_functionals();
    for (const auto& [functional, factor] : constraints) {
      unsafe_.expect(functional);
      const std::size_t own = unsafe_.conjunction_of[at(functionals_[subproblem.target])];
      if (unsafe_.conjunction_of[at(functional)] != own || !(factor >= 0))
        throw Rejected("a constraint of another conjunction, or with a negative factor");
      sum.parts.push_back({Functional::What::kFunctional, 0, functional, factor});
    }
  }

  Functional functional_of(const Subproblem& subproblem, const Terms& constraints) const {
    Functional sum;
    if (elements_.empty()) {
      sum.parts.push_back({Functional::What::kFunctional, 0, functionals_[subproblem.target], 1});
    } else {
      const double sign = subproblem.target % 2 == 0 ? 1 : -1;
      sum.parts.push_back({Functional::What::kElement, node_, elements_[subproblem.target / 2], sign});
    }
    add_constraints(subproblem, constraints, sum);
    return sum;
  }

  Bounding bounding_of(const Subproblem& subproblem, const Choices& choices) const {
    Bounding bounding{functional_of(subproblem, choices.constraints),
                      {.slope = choices.slope,
                       .multiplier = choices.multiplier,
                       .side = piece_.sides(subproblem.decisions),
                       .ranges = subproblem.ranges.get()}};
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      const Cut& cut = *cuts_[c];
      const double weight = choices.weight[c];
      if (!cut.is_joint()) {
        if (weight > 0) bounding.choice.cuts[cut.row.bounded[0].first].emplace_back(&cut, weight);
        continue;
      }
      if (!(weight >= 0)) throw Rejected("a joint cut with a negative weight");
      if (weight > 0) piece_.add_excess(cut.row, weight, bounding.functional);
    }
    return bounding;
  }

  // The proven ends of a unit's argument.
  std::pair<double, double> ends_of(Index unit, const Ranges& ranges) const {
    const Interval& whole = piece_.bounds_of(unit);
    const Range& range = ranges.units[at(unit)];
    return {larger(whole.low(), range.low), smaller(whole.high, range.high)};
  }

  // From a premise <= limit, with q x split off, q x <= limit - min of the rest.
  void take(const Imply::Implication& claim, const Subproblem& subproblem, Ranges& ranges) {
    const Index most =
        claim.about == Imply::kUnit ? static_cast<Index>(piece_.units()) : std::ssize(piece_.facts().coordinates);
    if (claim.from > Imply::kFunctional || claim.about > Imply::kContradiction ||
        (claim.about != Imply::kContradiction && claim.number >= most))
      throw Rejected("an implication about something that does not exist");
    Choice choice{.ranges = &ranges, .box = !claim.slope};
    if (claim.slope) choice.slope = *claim.slope;
    if (claim.from == Imply::kArgument) {
      if (claim.about != Imply::kUnit) throw Rejected("an implication of an argument about something else");
      const double bound = piece_.lower_bound(piece_.argument_of(claim.number, claim.upper ? -1 : 1), choice);
      ranges.units[at(claim.number)].narrow(claim.upper, claim.upper ? -bound : bound, claim.claimed);
      return;
    }
    double limit = 0;
    Functional rest;
    if (claim.from == Imply::kFunctional) {
      add_constraints(subproblem, {{claim.premise, 1.0}}, rest);
    } else {
      const bool upper = claim.from == Imply::kUpperEnd;
      rest = piece_.argument_of(claim.premise, upper ? 1 : -1);
      const auto [low, high] = ends_of(claim.premise, ranges);
      limit = upper ? high : -low;
    }
    const double q = claim.coefficient;
    if (claim.about == Imply::kUnit) rest.on_units.push_back({claim.number, -q, 1});
    if (claim.about == Imply::kCoordinate) rest.on_coordinates.push_back({claim.number, -q, 1});
    const Interval room = Interval(limit) - Interval(piece_.lower_bound(rest, choice));
    if (claim.about == Imply::kContradiction) {
      ranges.none = ranges.none || room.high < 0;
      return;
    }
    if (!(claim.upper ? q > 0 : q < 0)) throw Rejected("an implication with the wrong sign");
    const Interval end = room / Interval(q);
    take_end(claim, claim.upper ? end.high : end.low(), ranges);
  }

  // The value of a unit, max(z, 0), tells less about z than about itself.
  static void take_end(const Imply::Implication& claim, double end, Ranges& ranges) {
    if (claim.about == Imply::kCoordinate) {
      auto& [low, high] = ranges.coordinates[at(claim.number)];
      (claim.upper ? high : low) = claim.upper ? smaller(high, end) : larger(low, end);
      return;
    }
    Range& range = ranges.units[at(claim.number)];
    if (claim.upper) {
      range.narrow(true, larger(end, 0), claim.claimed);
      ranges.none = ranges.none || end < 0;
    } else {
      range.narrow(false, end > 0 ? end : -HUGE_VAL, claim.claimed > 0 ? claim.claimed : -HUGE_VAL);
    }
  }

  Piece& piece_;
  const Functionals& unsafe_;
  std::vector<Index> functionals_;  // the targets, if there are no elements
  std::vector<const Cut*> cuts_;
  std::size_t node_ = 0;
  std::vector<Index> elements_;
  std::unordered_map<Index, Subproblem> open_;
  std::vector<std::int64_t> open_of_target_;
  std::vector<double> least_;  // per target, over its closed subproblems, and at the end over its open ones
  Index next_ = 0;
  std::int64_t closed_ = 0;
};

}  // namespace checker
