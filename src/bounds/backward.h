// backward.h: lower bounds on linear functionals of a node, by substituting backward to the inputs.
//
// In:  functionals over one node (or over the network's outputs); bounds of all nodes before it.
// Out: a lower bound on each functional over the region.
//
// A row of coefficients moves from each node to its arguments: through affine maps exactly, through ReLU and maximum
// along the line that is valid for the sign of its coefficient. In the end there are a row over the inputs, a constant,
// and a bound on all rounding errors; the bound on the functional follows from the minimum of the row over the region.
//
// Limits: a pass through a large network takes long. Once `budget` has reached a limit, a pass is abandoned, and the
//         bounds that it returns are minus infinity, the errors infinite. nullptr means no limit.
//
// Sound:  valid for the real-valued network, whatever the rounding (affine_scale.h says how it is bounded).
// Trusts: the bounds in the store.
// Follows: Fast-Lin and CROWN (Weng et al. 2018, Zhang et al. 2018), with local windows for convolutions.
#pragma once

#include <limits>
#include <map>

#include "base/limits.h"
#include "bounds/region_bounds.h"

namespace plumb::bounds {

// Linear functionals. Functional r is row r of every block, each applied to the value of its node, plus constants[r].
// Its true value differs from this by at most errors[r]. Every block has `count` rows. Empty `constants` and `errors`
// stand for zeros.
struct Functionals {
  std::int64_t count = 0;
  std::map<network::NodeId, RowBlock> rows;
  std::vector<double> constants, errors;
};

// kPlus: the functional x of each element x. kPlusAndMinus: first x of all elements, then -x of all elements.
enum class Signs { kPlus, kPlusAndMinus };

// The functionals of a node's elements in the given channels at one pixel of its image. Behind a convolution or a dense
// map these are rows of weights, which need no arithmetic.
Functionals unit_functionals(const RegionBounds& bounds, network::NodeId id, std::int64_t y, std::int64_t x,
                             const std::vector<std::int64_t>& channels, Signs signs);

// The elements of ReLU and maximum nodes that are undecided over the region, numbered in the order of the nodes. Nodes
// that have no bounds yet are left out, and so are those from `before` on: functionals must not depend on them.
struct UndecidedElements {
  std::vector<std::vector<std::int32_t>> variable;  // per element of a ReLU or maximum node: its number, -1 if decided
  std::int64_t count = 0;
};

UndecidedElements undecided_elements(const RegionBounds& bounds,
                                     network::NodeId before = std::numeric_limits<network::NodeId>::max());

// Functionals as rows over the inputs and over the values of undecided elements. Decided ones are substituted exactly
// and nothing is relaxed: at every point of the region the functional's value differs from
// inputs . x + variables . (values of the undecided elements) + constant by at most the error.
struct SubstitutedRows {
  std::map<network::NodeId, RowBlock> inputs;  // over input nodes
  std::vector<double> variables;               // count x undecided.count
  std::vector<double> constants, errors;       // one per row
};

SubstitutedRows substitute(const RegionBounds& bounds, const UndecidedElements& undecided, Functionals functionals,
                           const Budget* budget = nullptr);

// Relaxes undecided ReLUs differently in each row, instead of along the lines in RegionBounds: with slopes of the row's
// own, or as if they were decided.
class RowRelaxation {
 public:
  virtual ~RowRelaxation() = default;

  // The numbers of the units that relax() is asked about.
  virtual const UndecidedElements& units() const = 0;
  // Returns the coefficient of the unit's argument, given the coefficient v of the unit's value in `row`. Adds to
  // `intercepts` what the intercept of an upper line contributes (at most zero). The result must be valid in spite of
  // rounding: between 0 and v along a line, at most v where the unit is treated as active, at least 0 where it is
  // treated as inactive.
  virtual double relax(std::int64_t row, std::int32_t unit, double v, double& intercepts) = 0;
};

struct BoundedRows {
  std::vector<double> lower;                      // of each functional; minus infinity if there is no finite bound
  std::map<network::NodeId, RowBlock> at_inputs;  // the rows over the inputs from which the bounds were computed
};

BoundedRows lower_bounds(const RegionBounds& bounds, Functionals functionals, RowRelaxation& relaxation,
                         const Budget* budget = nullptr);

// Functionals over nodes before `end` and over inputs that are nowhere above the given ones.
Functionals moved_back(const RegionBounds& bounds, Functionals functionals, network::NodeId end,
                       const Budget* budget = nullptr);

// Lower bounds on the functionals if each unit, and each input, may have any value that its bounds allow. Nothing is
// relaxed, and nothing moves further back than the last affine nodes. For networks that were trained with intervals
// these bounds are often better than those along lines.
std::vector<double> lower_bounds_by_values(const RegionBounds& bounds, Functionals functionals);

// Lower bounds on the functionals, in order; minus infinity if there is no finite bound.
std::vector<double> lower_bounds(const RegionBounds& bounds, Functionals functionals, const Budget* budget = nullptr);

// How many bytes one row takes in a pass at most: it may exist three times, as it was, widened to the whole image, and
// moved.
std::int64_t most_bytes_of_row(const network::Network& network);

}  // namespace plumb::bounds
