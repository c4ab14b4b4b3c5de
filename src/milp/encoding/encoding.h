// encoding.h: a question about a network as a mixed-integer program, and the program's solutions as network inputs.
//
// In:  an encoded network (layered or reduced), one part of a region, the functionals of an unsafe set.
// Out: a program for one of the questions, where g_ci is the functional of inequality i of conjunction c,
//        feasibility   does some point satisfy a conjunction?                 (the paper's equation 2)
//        margin        how low can the margin be?                             min over c of max over i of g_ci
//        distortion    how near to a centre can a conjunction be satisfied?   (equations 3 to 5, appendix A.3)
//      and lift(): the network input (or parameters of an affine image) that a solver's point stands for.
//
// Sound:  every unsafe point of the part is feasible, and its objective is not below the program's minimum. Strict
//         inequalities are encoded as weak ones, an l2 ball by tangents (cut_off() adds more). What a solver finds is a
//         proposal; attack/witness_check.h decides.
#pragma once

#include "bounds/unsafe_functionals.h"
#include "milp/encoding/region_rows.h"

namespace plumb::milp {

class Encoding {
 public:
  // The part must lie in the region over which the network was encoded.
  Encoding(EncodedNetwork network, const property::SimpleRegion& part, bounds::UnsafeFunctionals unsafe,
           double ignored_coefficient);

  const program::Program& program() const { return network_.program; }

  // Exactly one of the ask functions must be called, once, with at least one conjunction. Several conjunctions are told
  // apart by indicators that sum to one.
  //
  // Every inequality is relaxed by `clearance`, so that a solver's claim that there is no point does not depend on its
  // tolerances.
  void ask_feasibility(std::span<const std::size_t> conjunctions, double clearance);
  // The objective is minus the slack (attack/slack.h). Each conjunction must have at least one inequality.
  void ask_margin(std::span<const std::size_t> conjunctions);
  // The distance is that of the coordinates (of the parameters, for an affine image), squared if the norm is l2.
  void ask_distortion(std::span<const std::size_t> conjunctions, property::Norm norm, std::span<const double> centre);

  // For an l2 ball: adds tangents that cut off a point outside of it. Returns false if the point is inside, or if the
  // part is no l2 ball.
  bool cut_off(std::span<const double> point, double tolerance);

  // For each unit the row of its convex hull that a point of the relaxation violates most, if it violates one.
  std::vector<HullRow> separate(std::span<const double> point) const;
  void add(const HullRow& row);
  // Merges several rows of one unit into their weighted mean.
  HullRow merged(std::span<const HullRow* const> rows, std::span<const double> weights) const;

  // The linear program over the points with the same activation pattern as a solver's point: every indicator is fixed
  // at its rounded value. The objective stays the same.
  program::Program with_indicators_of(std::span<const double> point) const;
  // Excludes the points with that pattern, by a row that every other choice of indicators satisfies. Returns false if
  // there are no indicators.
  bool exclude_indicators_of(std::span<const double> point);

  // Returns network inputs, or parameters of an affine image. Coordinates without influence come from `elsewhere`.
  std::vector<double> lift(std::span<const double> point, std::span<const double> elsewhere) const;

 private:
  // One binary per conjunction, of which one is 1; nullopt if there is only one conjunction.
  std::vector<std::optional<program::VariableId>> add_choice(std::size_t count);
  bool moves_from(std::span<const double> centre) const;
  void require(std::span<const std::size_t> conjunctions, double clearance);

  EncodedNetwork network_;
  bounds::UnsafeFunctionals unsafe_;
  double ignored_coefficient_;
  std::optional<SphereRows> sphere_;
};

// The middle of the box around the part (of the box of parameters, for an affine image): for lift().
std::vector<double> middle(const property::SimpleRegion& part);

}  // namespace plumb::milp
