// exact_evaluator.h: the values of a network in rational arithmetic, as an oracle for everything that rounds.
//
// A coefficient with an error bound stands for an interval of numbers, so that the result is an interval that contains
// the true network's value. If all coefficients are exact, the interval is a single point, the true value. The code is
// written for clarity, from the definitions in network/op.h alone.
#pragma once

#include <gmpxx.h>

#include <vector>

#include "network/network.h"

namespace plumb::testing {

struct ExactInterval {
  mpq_class low, high;

  bool contains(const mpq_class& x) const { return low <= x && x <= high; }
};

ExactInterval operator+(const ExactInterval& a, const ExactInterval& b);
ExactInterval operator*(const ExactInterval& a, const ExactInterval& b);

// The numbers that coefficient i may stand for.
ExactInterval exact(const network::Coefficients& coefficients, std::int64_t i);

// The values of every node at a point, in the order of nodes().
std::vector<std::vector<ExactInterval>> exact_values(const network::Network& network,
                                                     const std::vector<mpq_class>& input);

// The concatenated outputs.
std::vector<ExactInterval> exact_outputs(const network::Network& network, const std::vector<mpq_class>& input);

std::vector<mpq_class> exact_point(const std::vector<double>& point);

}  // namespace plumb::testing
