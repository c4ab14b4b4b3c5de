// reduced_network.h: the network as it looks from inside one input region.
//
// In:  bounds on every unit over a region of one part (InternalError if it has several), which is not empty;
//      functionals of the network's nodes (margins), possibly none.
// Out: rows over coordinates u of the region (input_space.h) and the values r of undecided units:
//        z_k = A_k u + B_k r + c_k,  r_k = relu(z_k),
//      one for each undecided ReLU and one for each functional. An undecided maximum is a chain of such units:
//      max(a, b) = a + relu(b - a). The result keeps no reference to what it was built from.
//
// Numbers: units are numbered from 0, node by node in the order of the network, so that a unit's row contains earlier
//      units only. Units of one ReLU node are in the order of pixels, then channels, which need not be the order of
//      elements: Unit::place says which element a unit is. Units of a maximum are the links of its chain, in order.
//      Rows are numbered from 0: the rows of the units, in order, then those of the functionals, in the order in which
//      they were given. Columns of on_units() are numbers of units. Columns of on_inputs() are numbers of coordinates,
//      0 to space().size() - 1. Over a cube, coordinates on which no row depends are dropped, and the others
//      renumbered.
//
// Sound:   for every point of the region, with r the true values, a row's true value differs from the stored expression
//          by at most its error, and lower <= z_k <= upper for the bounds of units()[k]. Decided units were
//          substituted; nothing is approximated.
// Trusts:  that the bounds it was built from are valid. Nothing else.
// Follows: section 4.2 of Tjeng et al. (stable units need no variable), taken one step further: they need no row
//          either.
// Threads: may be shared by threads while none calls tighten().
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bounds/backward.h"
#include "events/events.h"
#include "reduction/input_space.h"
#include "reduction/sparse_rows.h"
#include "reduction/unit_place.h"

namespace plumb::reduction {

class ReducedNetwork {
 public:
  // An undecided unit.
  struct Unit {
    UnitPlace place;
    double lower = 0, upper = 0;  // of its argument z; lower < 0 < upper when it is built
  };

  // Returns nullopt if the rows of the units take more than `most_bytes`, as bytes() counts them, or if `budget` has
  // reached a limit; both are checked after each pixel. Rows that are on their way through the layers may take as much
  // once more. Rows of the functionals do not count. nullptr means no limit.
  static std::optional<ReducedNetwork> build(const bounds::RegionBounds& bounds, const bounds::Functionals& functionals,
                                             std::int64_t most_bytes, const Budget* budget = nullptr);
  // The same for functionals that are elements of one node: functional f is the value of elements[f]. Only the nodes
  // up to that one need bounds, and only their units are in the result. Here the rows of the functionals count too,
  // once all of them are made.
  static std::optional<ReducedNetwork> build(const bounds::RegionBounds& bounds, network::NodeId node,
                                             const std::vector<std::int64_t>& elements, std::int64_t most_bytes,
                                             const Budget* budget = nullptr);

  const std::vector<Unit>& units() const { return units_; }
  std::int64_t unit_count() const { return static_cast<std::int64_t>(units_.size()); }
  std::int64_t functional_count() const { return rows() - unit_count(); }
  // The chains of undecided maxima. Each depends only on earlier ones. Their links refer to numbers of units().
  const std::vector<events::MaximumChain>& chains() const { return chains_; }
  const InputSpace& space() const { return space_; }
  // The units' lines, one pair per unit, computed from their bounds.
  const bounds::Lines& lines() const { return lines_; }

  std::int64_t rows() const { return static_cast<std::int64_t>(constants_.size()); }
  // The row number of functional f, where f is counted from 0.
  std::int64_t functional_row(std::int64_t f) const { return unit_count() + f; }
  // Row k of on_inputs() is A_k, row k of on_units() is B_k, and constant(k) is c_k.
  const SparseRows& on_inputs() const { return on_inputs_; }
  const SparseRows& on_units() const { return on_units_; }
  double constant(std::int64_t row) const { return constants_[static_cast<std::size_t>(row)]; }
  double error(std::int64_t row) const { return errors_[static_cast<std::size_t>(row)]; }
  // An upper bound on sum |a_i| |u_i| + sum |b_j| r_j + |c| over the region, for the row's coefficients a and b and its
  // constant c.
  double magnitude(std::int64_t row) const { return magnitudes_[static_cast<std::size_t>(row)]; }

  // Tightens a unit's bounds and redraws its lines. The bounds must be valid; where they are wider than the present
  // ones, these stay. The unit keeps its number and its row even if this decides it. Magnitudes stay as they are.
  void tighten(std::int64_t unit, double lower, double upper);

  // The values of the functionals at u (space().size() numbers), in plain double arithmetic. `values` receives the
  // values of all rows: for units these are the arguments z, not r.
  std::vector<double> evaluate(std::span<const double> u) const;
  void evaluate(std::span<const double> u, std::vector<double>& values) const;

  // Coefficients that are stored: about what one pass over all rows costs, in multiplications.
  std::int64_t entries() const { return on_inputs_.entries() + on_units_.entries(); }
  std::int64_t bytes() const { return on_inputs_.bytes() + on_units_.bytes(); }

 private:
  friend class Reducer;
  explicit ReducedNetwork(InputSpace space) : space_(std::move(space)) {}
  void draw_line(std::int64_t unit);

  InputSpace space_;
  std::vector<Unit> units_;
  std::vector<events::MaximumChain> chains_;
  bounds::Lines lines_;
  SparseRows on_inputs_, on_units_;
  std::vector<double> constants_, errors_, magnitudes_;
};

}  // namespace plumb::reduction
