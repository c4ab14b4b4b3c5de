// affine_rows.h: the weights that make one element of an affine operation.
#pragma once

#include <vector>

#include "network/network.h"

namespace plumb::milp {

struct Weight {
  network::NodeId node = 0;  // one of the arguments
  std::int64_t element = 0;
  double value = 0;
};

struct AffineRow {
  std::vector<Weight> weights;  // an element may appear several times
  double bias = 0;
};

// y_element = sum of weight * value + bias, with the stored coefficients. For dense maps, convolutions and their
// transposes, scalings and sums; other operations are a defect of the caller.
AffineRow affine_row(const network::Network& network, network::NodeId id, std::int64_t element);

}  // namespace plumb::milp
