// unit_place.h: the place of an undecided unit in the network.
#pragma once

#include <cstdint>

#include "network/network.h"

namespace plumb::reduction {

struct UnitPlace {
  network::NodeId node = 0;  // the ReLU, or the maximum that it is a part of
  std::int64_t element = 0;
  std::int32_t group = 0;  // units of one group do not depend on each other, only on units of earlier groups
};

}  // namespace plumb::reduction
