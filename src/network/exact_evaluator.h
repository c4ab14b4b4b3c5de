// exact_evaluator.h: the network's value at a point, without any rounding.
//
// Activations are evaluated by their direct forms where they have one, as in evaluator.h.
//
// In:  a network, a point whose coordinates are dyadic numbers. Out: its outputs, exactly.
//
// It is for points at which floating point cannot tell on which side of a boundary they lie. It costs a thousand times
// what an evaluation in double does, so multiplications() says beforehand how much work it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/dyadic.h"
#include "network/network.h"

namespace plumb::network {

class ExactEvaluator {
 public:
  // Keeps a reference: the network must outlive the evaluator.
  explicit ExactEvaluator(const Network& network);

  // False if the network has coefficients that are known up to an error only (coefficients.h).
  bool is_possible() const { return is_possible_; }
  // Of one evaluation.
  std::int64_t multiplications() const { return multiplications_; }

  // The concatenated outputs. Throws InternalError if it is not possible.
  std::vector<Dyadic> evaluate(std::span<const Dyadic> input) const;

 private:
  const Network& network_;
  std::vector<bool> needed_;
  bool is_possible_ = true;
  std::int64_t multiplications_ = 0;
};

}  // namespace plumb::network
