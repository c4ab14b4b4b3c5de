// affine_rows.h: one element of an affine operation as a weighted sum of elements of its arguments.
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

// Returns the row of y_element = sum of weight * value + bias, with the stored coefficients. Handles dense maps,
// convolutions and their transposes, scalings and sums; throws InternalError for other operations.
AffineRow affine_row(const network::Network& network, network::NodeId id, std::int64_t element);

}  // namespace plumb::milp
