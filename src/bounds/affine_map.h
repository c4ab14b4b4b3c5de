// affine_map.h: the affine operations of a network, in the layout that bounds need. Built once per network and shared
// by all queries.
//
// For a node y = W x + b (dense map, convolution, scale and shift, sum of arguments) it applies W and |W| to vectors
// over the arguments, in plain double arithmetic. terms() is the number of products in a sum, from which the caller
// bounds the rounding.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "network/network.h"

namespace plumb::bounds {

class AffineMap {
 public:
  // Returns nullopt for operations that are not affine in this sense (input, constant, index map, ReLU, maximum).
  static std::optional<AffineMap> of(const network::Network& network, network::NodeId id);

  std::int64_t size() const { return size_; }
  // The largest number of products in one element of W x.
  std::int64_t terms() const { return terms_; }
  const network::Coefficients& weight() const { return weight_; }
  const network::Coefficients& bias() const { return bias_; }
  // b_i for every element; empty where there is no bias.
  const std::vector<double>& biases() const { return biases_; }
  // Of a transposed convolution: its weights as tensor::convolve() expects them, which moves rows to the argument.
  const std::vector<double>& weights_of_rows() const { return weights_of_rows_; }

  // W x and |W| x, where x has one vector per argument.
  std::vector<double> apply(const std::vector<std::span<const double>>& x) const { return apply(x, false); }
  std::vector<double> apply_absolute(const std::vector<std::span<const double>>& x) const { return apply(x, true); }

 private:
  struct Layout;

  std::vector<double> apply(const std::vector<std::span<const double>>& x, bool absolute) const;

  const network::Op* op_ = nullptr;
  std::int64_t size_ = 0, terms_ = 1;
  network::Coefficients weight_, bias_;
  std::vector<double> biases_;
  std::vector<double> transposed_, absolute_;  // W and |W| in the layout of the operation's kernel
  std::vector<double> weights_of_rows_;
};

}  // namespace plumb::bounds
