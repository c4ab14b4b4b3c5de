// piece.h: proves bounds about one piece of a region, and keeps what was proven (rules 1 to 6 of docs/certificates.md).
//
// Sound:  for any certificate. What a record says only chooses among valid proofs.
// Throws: Rejected if a record does not make sense here (a unit that does not exist), or if numbers overflow.
#pragma once

#include <set>

#include "substitution.h"

namespace checker {

enum class Arithmetic { kIntervals, kExact };  // exact: always; intervals: exact where intervals do not suffice

class Piece {
 public:
  using UnitNodes = std::vector<std::size_t>;  // the node of each name

  // Keeps references to the network and to the inequalities of the unsafe set.
  Piece(const Network& network, Region region, const std::vector<const Inequality*>& inequalities,
        Arithmetic arithmetic);

  const Facts& facts() const { return facts_; }
  bool is_empty() const { return facts_.is_empty; }
  std::size_t units() const { return facts_.listed.size(); }

  // Bounds every element. Called first, with the list that comes first, if there is one: an argument that is proven to
  // be 0 everywhere counts as undecided if the prover, whose bounds are not as sharp, lists its unit.
  void bound_nodes(const Units* listed, const UnitNodes& nodes);
  bool is_bounded() const { return !facts_.bounds.empty(); }
  // Tries to prove that the piece has no point, by bounding every element from both sides.
  void look_for_emptiness();

  void list_units(const Units& record, const UnitNodes& nodes);
  void set_coordinates(const Coordinates& record);
  void tighten(const Tight& record);
  // An element is at least `low` and at most `high`, as is proven elsewhere.
  void improve(std::size_t node, Index element, double low, double high);

  void begin_cuts() { cuts_.clear(); }
  void add_cut(const CutFound& record);
  void add_merged(const Merged& record);
  const Cut& cut(Index number) const;
  // Adds weight * (left-hand side - right-hand side) <= 0.
  void add_excess(const CutRow& row, double weight, Functional& sum) const;

  // A lower bound of the functional wherever the choice's decisions and ranges hold. If intervals prove less than
  // `enough`, exact numbers are tried.
  double lower_bound(const Functional& functional, const Choice& choice, double enough = -HUGE_VAL);

  // A lower bound of an inequality's functional, by bounds of the values that its affine functions are made of.
  double bound_by_values(const Inequality& inequality) const;

  // Narrows ranges at the points where the functional is at most 0.
  void narrow(const Functional& functional, const Choice& choice, const std::vector<Narrow::End>& ends, Ranges& ranges);
  // A box around the coordinates.
  std::vector<std::pair<double, double>> whole_coordinates() const;

  Functional argument_of(Index unit, double factor) const;
  // 1, -1 or 0 for each unit.
  std::vector<std::int8_t> sides(const std::vector<Decision>& decisions) const;
  Index expect_unit(Index unit) const;
  const Interval& bounds_of(Index unit) const { return facts_.bounds_of(facts_.units[place_of(unit)]); }

 private:
  std::size_t place_of(Index unit) const { return static_cast<std::size_t>(facts_.listed[at(unit)]); }
  bool is_image_of_polytope(std::size_t node) const;
  bool is_undecided(std::size_t unit_node, Index element) const;
  std::size_t first_of_map(std::size_t node) const;
  using Rows = std::map<std::size_t, std::vector<Interval>>;  // coefficients on nodes' elements
  template <class IsBox>
  Interval through_affine_nodes(Rows rows, const IsBox& is_box) const;
  void bound_arguments(std::size_t unit_node);
  void bound_element(std::size_t node, Index element);
  void add_unit(const Unit& unit);
  std::vector<Unit> sorted_units(const Units& record, const UnitNodes& nodes) const;
  void add_chains(const Units& record, const UnitNodes& nodes);
  void bound_links(Chain& chain);
  void restart();
  void expect_terms(const CutRow& row) const;
  Choice choice_of(const CutFound::Case& one) const;
  void add_row(const CutRow& row, double factor, Functional& sum) const;
  void keep_cut(const CutRow& row, double missing);
  template <class Do>
  auto in_arithmetic(const Do& what);

  Facts facts_;
  Arithmetic arithmetic_;
  Substitution<Interval> intervals_;
  Substitution<Exact> exact_;
  std::set<std::pair<std::size_t, Index>> hinted_;  // units of the list that came first
  std::vector<std::size_t> uses_;                   // of each node, by others and by outputs
  std::vector<Cut> cuts_;
};

}  // namespace checker
