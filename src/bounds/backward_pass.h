// backward_pass.h: one pass from functionals back to the inputs, for a batch of rows. Internal to bounds.
//
// The pass owns the rows, constants and errors. backward_rules.cc has one rule per operation, which moves a block of
// rows from a node to its arguments.
#pragma once

#include "base/limits.h"
#include "base/rounding.h"
#include "bounds/backward.h"
#include "tensor/reductions.h"

namespace plumb::bounds {

// Where rows end: at nodes before `before`, at nodes with units if `at_units`, and at inputs. Once `budget` has reached
// a limit, the pass is abandoned: its rows are left where they are, with infinite errors, so that nothing follows from
// them.
struct PassEnd {
  network::NodeId before = 0;
  bool at_units = false;
  const Budget* budget = nullptr;
};

class BackwardPass {
 public:
  // Undecided elements are relaxed along the lines in `bounds`. If `kept` is not nullptr, they stay in the rows as
  // variables instead. If `relaxation` is not nullptr, it relaxes undecided ReLUs in each row. The pass ends where
  // `end` says.
  BackwardPass(const RegionBounds& bounds, Functionals functionals, const UndecidedElements* kept,
               RowRelaxation* relaxation, PassEnd end = {});

  std::vector<double> lower_bounds() const;
  // The same if each element at which rows end may have any value that its bounds allow.
  std::vector<double> lower_bounds_by_values() const;
  SubstitutedRows rows() &&;
  BoundedRows bounded_rows() &&;
  Functionals functionals() &&;

 private:
  struct Rule;

  void descend();
  bool is_abandoned();

  void add_constant(std::int64_t row, double value);
  void charge(std::int64_t row, double error);
  void charge_affine_error(network::NodeId id, const RowBlock& block);
  // sum_i |r_i| weight_i, rounded up.
  static double dot_abs_up(const RowBlock& block, std::int64_t row, const InWindow& weight);

  // Adds rows to those of an argument. If it has some already, the rounding of the sums is charged.
  void pass(network::NodeId argument, RowBlock block);

  std::vector<double> minima_over_box() const;
  std::vector<double> with_constants(std::vector<double> least) const;
  double minimum_over_parts(std::int64_t row) const;

  const RegionBounds& bounds_;
  const network::Network& network_;
  std::int64_t rows_;
  std::vector<double> constants_, errors_;
  std::map<network::NodeId, RowBlock> pending_;  // processed from the last node to the first
  std::map<network::NodeId, RowBlock> at_inputs_;
  const UndecidedElements* kept_;
  RowRelaxation* relaxation_;
  PassEnd end_;
  bool abandoned_ = false;
  std::vector<double> variables_;  // rows x kept elements
};

}  // namespace plumb::bounds
