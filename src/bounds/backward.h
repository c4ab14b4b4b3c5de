// backward.h: lower bounds on linear functionals of a node, by substituting backward to the inputs.
//
// In:  functionals over one node (or over the network's outputs); bounds of all nodes before it.
// Out: for each functional, a number that it never goes below over the region.
//
// A row of coefficients moves from each node to its arguments: through affine maps exactly, through ReLU and maximum
// along the line that is valid for the sign of its coefficient. What remains is a row over the inputs, a constant, and
// a bound on all rounding on the way; the region gives the minimum of the row.
//
// Sound:  valid for the real-valued network, whatever the rounding (affine_scale.h says how it is bounded).
// Trusts: the bounds in the store.
// Follows: Fast-Lin and CROWN (Weng et al. 2018, Zhang et al. 2018), with local windows for convolutions.
#pragma once

#include <map>

#include "bounds/region_bounds.h"

namespace plumb::bounds {

// Linear functionals, each the sum of its rows over several nodes and a constant, up to an error. Every block has
// `count` rows; constants and errors are zero where they are left out.
struct Functionals {
  std::int64_t count = 0;
  std::map<network::NodeId, RowBlock> rows;
  std::vector<double> constants, errors;
};

// +x, and then -x where both signs are wanted, for elements of a node: the given channels at one place of its image.
// Behind a convolution or a dense map these are rows of weights, which need no arithmetic.
enum class Signs { kPlus, kPlusAndMinus };

Functionals unit_functionals(const RegionBounds& bounds, network::NodeId id, std::int64_t y, std::int64_t x,
                             const std::vector<std::int64_t>& channels, Signs signs);

// The ReLU units and maxima that are not decided over the region, numbered, those of earlier nodes first. Nodes that
// have no bounds yet are left out: functionals must not reach them.
struct UndecidedElements {
  std::vector<std::vector<std::int32_t>> variable;  // of each element of a ReLU or maximum node; -1 if it is decided
  std::int64_t count = 0;
};

UndecidedElements undecided_elements(const RegionBounds& bounds);

// Functionals as rows over the inputs and over the values of undecided units. Decided units are substituted exactly and
// nothing is relaxed: at every point of the region the functional's value differs from
// inputs . x + variables . (values of the undecided units) + constant by at most the error.
struct SubstitutedRows {
  std::map<network::NodeId, RowBlock> inputs;  // over input nodes
  std::vector<double> variables;               // count x undecided.count
  std::vector<double> constants, errors;       // one a row
};

SubstitutedRows substitute(const RegionBounds& bounds, const UndecidedElements& undecided, Functionals functionals);

// How each row takes undecided ReLUs, where that is not along the store's lines: with slopes of its own, or as if they
// were decided.
class RowRelaxation {
 public:
  virtual ~RowRelaxation() = default;

  // The numbers of the units that relax() is asked about.
  virtual const UndecidedElements& units() const = 0;
  // From the coefficient v of the unit's value in `row`, the coefficient of its argument; what an upper line's
  // intercept contributes (at most zero) is added to `intercepts`. The result must be a valid choice for any rounding:
  // between 0 and v along a line, at most v where the unit is taken as active, at least 0 where it is taken as
  // inactive.
  virtual double relax(std::int64_t row, std::int32_t unit, double v, double& intercepts) = 0;
};

struct BoundedRows {
  std::vector<double> lower;                      // of each functional; minus infinity where none can be given
  std::map<network::NodeId, RowBlock> at_inputs;  // the rows whose minimum that is
};

BoundedRows lower_bounds(const RegionBounds& bounds, Functionals functionals, RowRelaxation& relaxation);

// Lower bounds on the functionals, in order; minus infinity where none can be given.
std::vector<double> lower_bounds(const RegionBounds& bounds, Functionals functionals);

}  // namespace plumb::bounds
