// reduced_network.h: the network as it looks from inside one input region.
//
// In:  bounds on every unit over a region of one part; functionals of the network's nodes (margins).
// Out: rows over coordinates u of the region (input_space.h) and the values r of undecided units:
//        z_k = A_k u + B_k r + c_k,  r_k = relu(z_k),
//      one for each undecided ReLU and one for each functional. An undecided maximum is a chain of such units:
//      max(a, b) = a + relu(b - a).
//
// Sound:   for every point of the region, with r the true values, a row's true value differs from the stored expression
//          by at most its error, and lower(k) <= z_k <= upper(k). Decided units were substituted; nothing is
//          approximated.
// Trusts:  that the bounds it was built from are valid. Nothing else.
// Follows: section 4.2 of Tjeng et al. (stable units need no variable), taken one step further: they need no row
//          either.
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
    double lower = 0, upper = 0;  // of z; lower < 0 < upper when it is built
  };

  // Returns nullopt if it would take more than `most_bytes`.
  static std::optional<ReducedNetwork> build(const bounds::RegionBounds& bounds, const bounds::Functionals& functionals,
                                             std::int64_t most_bytes);
  // The same for functionals that are elements of one node. Only the nodes before it need bounds.
  static std::optional<ReducedNetwork> build(const bounds::RegionBounds& bounds, network::NodeId node,
                                             const std::vector<std::int64_t>& elements, std::int64_t most_bytes);

  const std::vector<Unit>& units() const { return units_; }
  std::int64_t unit_count() const { return static_cast<std::int64_t>(units_.size()); }
  std::int64_t functional_count() const { return rows() - unit_count(); }
  // The chains of undecided maxima. Each depends only on earlier ones.
  const std::vector<events::MaximumChain>& chains() const { return chains_; }
  const InputSpace& space() const { return space_; }
  // The units' lines, computed from their bounds.
  const bounds::Lines& lines() const { return lines_; }

  // Rows: those of the units, in order, then those of the functionals.
  std::int64_t rows() const { return static_cast<std::int64_t>(constants_.size()); }
  std::int64_t functional_row(std::int64_t f) const { return unit_count() + f; }
  const SparseRows& on_inputs() const { return on_inputs_; }
  const SparseRows& on_units() const { return on_units_; }
  double constant(std::int64_t row) const { return constants_[static_cast<std::size_t>(row)]; }
  double error(std::int64_t row) const { return errors_[static_cast<std::size_t>(row)]; }
  // An upper bound on sum |A_i| |u_i| + sum |B_k| r_k + |c| over the region.
  double magnitude(std::int64_t row) const { return magnitudes_[static_cast<std::size_t>(row)]; }

  // Tightens a unit's bounds. The unit keeps its row even if this decides it.
  void tighten(std::int64_t unit, double lower, double upper);

  // The values of the functionals at u, in plain double arithmetic. `values` receives the values of all rows.
  std::vector<double> evaluate(std::span<const double> u) const;
  void evaluate(std::span<const double> u, std::vector<double>& values) const;

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
