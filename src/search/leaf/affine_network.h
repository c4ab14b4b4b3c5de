// affine_network.h: the rows of a reduced network as affine functions of its coordinates, once every unit has a line.
//
// An active unit is its argument, an inactive one is zero, and an open one is the line that the choices give it.
#pragma once

#include <span>
#include <vector>

#include "reduction/reduced_network.h"
#include "search/leaf/subproblem_program.h"

namespace plumb::search {

struct AffineRow {
  std::vector<double> slope;
  double constant = 0;

  void add(double factor, const AffineRow& other);
  double at(std::span<const double> u) const;
};

class AffineNetwork {
 public:
  // The functional plus the constraints, weighted by their multipliers, determine which line an open unit takes: its
  // lower line if the coefficient of its value is not negative, its upper line otherwise. Keeps a reference to the
  // network.
  AffineNetwork(const reduction::ReducedNetwork& network, std::int64_t functional_row,
                std::span<const std::int64_t> constraints, std::span<const reduction::Split> splits,
                const ProofChoices& choices);

  AffineRow row(std::int64_t r) const;
  const AffineRow& argument(std::size_t unit) const { return arguments_[unit]; }

 private:
  std::vector<double> values_used(std::int64_t functional_row, std::span<const std::int64_t> constraints,
                                  std::span<const reduction::Split> splits, const ProofChoices& choices) const;

  const reduction::ReducedNetwork& network_;
  std::vector<AffineRow> arguments_, values_;
};

}  // namespace plumb::search
