// forward_forms.h: for boxes in which few inputs vary, affine functions of the inputs below and above every element.
//
// In:  bounds of nodes over a region that is a box, and the lines of their ReLUs and maxima.
// Out: for each element x two affine functions of coordinates u in [-1, 1], one per input that varies, and an error:
//      lower . u - error <= x <= upper . u + error at every point of the region.
//
// The functions move forward. Through y = W x + b: let M = (upper + lower) / 2 and R = (upper - lower) / 2 be computed
// from the functions of x; then y lies within |W| R of W M + b, apart from the errors, which are carried along. Through
// ReLU and maximum they follow the lines in RegionBounds. This bounds all elements of all nodes at the cost of a few
// evaluations of the network per varying input; a backward pass bounds one element. But terms that cancel in a backward
// pass add up here, so that a backward pass along the same lines proves bounds that are at least as tight.
//
// Sound:  valid for the real-valued network, whatever the rounding.
// Trusts: the bounds and lines.
// Follows: the forward mode of LiRPA (Xu et al. 2020).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bounds/backward.h"

namespace plumb::bounds {

class ForwardForms {
 public:
  // Keeps a reference to the bounds, of which is_possible() must be true. Columns of large nodes are computed by
  // several threads; they are the same for any number.
  ForwardForms(const RegionBounds& bounds, int threads);

  // Whether the region is a box of which few inputs vary, and the functions of all elements fit into `most_bytes`.
  static bool is_possible(const RegionBounds& bounds, std::int64_t most_bytes);

  // Coefficients of a function: one per input that varies, and the constant.
  std::int64_t columns() const { return static_cast<std::int64_t>(varying_.size()) + 1; }

  // Computes the functions of all nodes up to this one. They must have bounds and lines.
  void extend_to(network::NodeId id);

  // Bounds on an element of a node that extend_to() has come to. Infinite or NaN if numbers are too large.
  std::pair<double, double> bounds_of(network::NodeId id, std::int64_t element) const;

  // Affine functions below functionals of such nodes: below . u - error <= functional. They are at least `lower` over
  // the region, which is minus infinity if numbers are too large.
  struct Below {
    std::vector<double> below;  // functionals x columns
    std::vector<double> error, lower;
  };
  Below below(const Functionals& functionals) const;

  // Replaces the functions of an element, by those below the functionals number `plus`, the element itself, and
  // `minus`, the negated element.
  void replace(network::NodeId id, std::int64_t element, const Below& rows, std::int64_t plus, std::int64_t minus);

 private:
  struct Rule;

  // Column c < inputs holds the coefficients of coordinate c, the last column the constants.
  struct Forms {
    std::vector<double> lower, upper;  // columns x size
    std::vector<double> error;         // per element
    std::vector<double> magnitude;     // per element: the sum over the columns of |lower| + |upper|, rounded up
  };

  void extend(network::NodeId id);
  std::vector<double> magnitudes(const Forms& forms) const;
  void add_block(network::NodeId id, const RowBlock& block, Below& result, std::vector<double>& magnitude) const;
  void finish_row(const Functionals& functionals, std::int64_t row, double magnitude, Below& result) const;

  const RegionBounds& bounds_;
  const network::Network& network_;
  int threads_;
  std::vector<std::size_t> varying_;  // the inputs that vary, in order
  std::vector<Forms> forms_;          // of the first nodes
};

}  // namespace plumb::bounds
