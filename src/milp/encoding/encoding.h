// encoding.h: a question about a network as a mixed-integer program, and its solutions as inputs again.
//
// In:  an encoded network (layered or reduced), one part of a region, the functionals of an unsafe set.
// Out: a program for one of the questions
//        feasibility   some conjunction holds                                 (the paper's equation 2)
//        margin        how far some conjunction can be made to hold           min over c of max over i of g_ci
//        distortion    how near to a centre some conjunction holds            (equations 3 to 5, appendix A.3)
//      and lift(): the network input (or parameters of an affine image) that a solver's point stands for.
//
// Sound:  every unsafe point of the part is feasible, and its objective is not below the program's minimum: strict
//         inequalities are encoded as weak ones, an l2 ball by tangents (cut_off() adds more). What a solver finds is
//         a proposal; attack/witness_check.h decides.
#pragma once

#include "bounds/unsafe_functionals.h"
#include "milp/encoding/region_rows.h"

namespace plumb::milp {

class Encoding {
 public:
  // The part lies in the region that the network was encoded over.
  Encoding(EncodedNetwork network, const property::SimpleRegion& part, bounds::UnsafeFunctionals unsafe,
           double ignored_coefficient);

  const program::Program& program() const { return network_.program; }

  // One of these, once. At least one conjunction; several are told apart by indicators that sum to one.
  // Every inequality may be missed by `clearance`: a solver's claim that even so there is no point outlives its
  // tolerances.
  void ask_feasibility(std::span<const std::size_t> conjunctions, double clearance);
  // The objective is minus the slack (attack/slack.h). For conjunctions with inequalities.
  void ask_margin(std::span<const std::size_t> conjunctions);
  // Distances are of the coordinates (of parameters, for an affine image); squared where the norm is l2.
  void ask_distortion(std::span<const std::size_t> conjunctions, property::Norm norm, std::span<const double> centre);

  // For an l2 ball: tangents that cut off a point outside of it. False if it is inside, or the part is none.
  bool cut_off(std::span<const double> point, double tolerance);

  // For each unit the row of its convex hull that a point of the relaxation violates most, where there is one.
  std::vector<HullRow> separate(std::span<const double> point) const;
  void add(const HullRow& row);
  // One row for several of one unit: their mean.
  HullRow merged(std::span<const HullRow* const> rows, std::span<const double> weights) const;

  // The linear program that is left when every indicator is what it is at a solver's point, rounded: the points with
  // that activation pattern. Its objective is the same.
  program::Program with_indicators_of(std::span<const double> point) const;
  // Leaves those points out, by a row that every other choice of indicators satisfies. False if there are no
  // indicators.
  bool exclude_indicators_of(std::span<const double> point);

  // Network inputs, or parameters of an affine image. Coordinates that nothing depends on are those of `elsewhere`.
  std::vector<double> lift(std::span<const double> point, std::span<const double> elsewhere) const;

 private:
  // A binary a conjunction, of which one is 1; none where there is only one conjunction.
  std::vector<std::optional<program::VariableId>> add_choice(std::size_t count);
  bool moves_from(std::span<const double> centre) const;
  void require(std::span<const std::size_t> conjunctions, double clearance);

  EncodedNetwork network_;
  bounds::UnsafeFunctionals unsafe_;
  double ignored_coefficient_;
  std::optional<SphereRows> sphere_;
};

// The middle of what the part's coordinates range over (parameters, of an affine image): for lift().
std::vector<double> middle(const property::SimpleRegion& part);

}  // namespace plumb::milp
