// exact_evaluator.h: the network's value at a point, without any rounding.
//
// Activations that have a direct form are evaluated by it, as in evaluator.h.
//
// In:  a network, a point whose coordinates are dyadic numbers.
// Out: the network's outputs, exactly.
//
// Used for points so close to a boundary that floating point cannot decide on which side they lie. It takes about a
// thousand times as long as an evaluation in double; multiplications() bounds the work beforehand.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "network/dyadic.h"
#include "network/network.h"

namespace plumb::network {

class ExactEvaluator {
 public:
  explicit ExactEvaluator(std::shared_ptr<const Network> network);

  // False if some of the coefficients are known only up to an error (coefficients.h).
  bool is_possible() const { return is_possible_; }
  // An upper bound for one evaluation.
  std::int64_t multiplications() const { return multiplications_; }

  // Returns the concatenated outputs. Throws InternalError unless is_possible().
  std::vector<Dyadic> evaluate(std::span<const Dyadic> input) const;

 private:
  std::shared_ptr<const Network> network_;
  std::vector<bool> needed_;
  bool is_possible_ = true;
  std::int64_t multiplications_ = 0;
};

}  // namespace plumb::network
