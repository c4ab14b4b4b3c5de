// reduced_network.h: the network as it looks from inside one input region.
//
// In:  bounds on every unit over a region; functionals of the outputs (margins).
// Out: rows over the inputs and over the values of the undecided units alone. A ReLU variable k is relu of its row
//        z_k = A_k x + B_k r + c_k,
//      where r are the values of earlier variables; a maximum is the largest of several such rows; each functional is
//      one more row.
//
// Sound:   for every point of the region, with r the true values of the undecided units, a row's true value differs
// from
//          the stored expression by at most its error. Decided units were substituted exactly; nothing is approximated.
// Trusts:  that the bounds it was built from are valid. Nothing else.
// Follows: section 4.2 of Tjeng et al. (stable units need no variable), taken one step further: they need no row
// either.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "bounds/backward.h"

namespace plumb {

class ReducedNetwork {
 public:
  // r_k = relu(row) if `rows` is one row and `is_relu`; the maximum of the rows otherwise.
  struct Variable {
    NodeId node = 0;
    std::int64_t element = 0;
    bool is_relu = true;
    std::int64_t first_row = 0, last_row = 0;  // half-open
  };

  // `functionals` is row-major, count x output_size.
  ReducedNetwork(const RegionBounds& bounds, std::span<const double> functionals);

  const std::vector<Variable>& variables() const { return variables_; }
  // Those of the variables, in order, then one for each functional.
  std::int64_t rows() const { return static_cast<std::int64_t>(constants_.size()); }
  std::int64_t first_functional() const { return first_functional_; }

  // The network inputs that some row uses; columns of inputs() are counted by them.
  const std::vector<std::int64_t>& used_inputs() const { return used_inputs_; }
  std::span<const double> inputs(std::int64_t row) const { return row_of(inputs_, row, used_inputs_.size()); }
  std::span<const double> earlier(std::int64_t row) const { return row_of(earlier_, row, variables_.size()); }
  double constant(std::int64_t row) const { return constants_[static_cast<std::size_t>(row)]; }
  double error(std::int64_t row) const { return errors_[static_cast<std::size_t>(row)]; }

  // The functionals at a point of the region (all network inputs), in plain double arithmetic.
  std::vector<double> evaluate(std::span<const double> point) const;

  std::int64_t bytes() const;

 private:
  static std::span<const double> row_of(const std::vector<double>& matrix, std::int64_t row, std::size_t width) {
    return std::span<const double>(matrix).subspan(static_cast<std::size_t>(row) * width, width);
  }
  // An element of a node that becomes a row.
  struct Wanted {
    std::int64_t element, row;
  };

  std::map<NodeId, std::vector<Wanted>> list_rows(const RegionBounds& bounds, const Kinks& kinks);
  void store(const Network& network, const SubstitutedRows& rows, const std::vector<std::int64_t>& targets);
  void drop_unused_inputs(std::int64_t input_size);

  std::vector<Variable> variables_;
  std::vector<std::int64_t> used_inputs_;
  std::vector<double> inputs_;   // rows x used inputs
  std::vector<double> earlier_;  // rows x variables
  std::vector<double> constants_, errors_;
  std::int64_t first_functional_ = 0;
};

}  // namespace plumb
