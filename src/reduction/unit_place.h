// unit_place.h: where an undecided unit sits in the network.
#pragma once

#include <cstdint>

#include "network/network.h"

namespace plumb::reduction {

struct UnitPlace {
  network::NodeId node = 0;  // the ReLU, or the maximum that it is a part of
  std::int64_t element = 0;
  std::int32_t group = 0;  // units of one group do not depend on each other; groups are numbered in order
};

}  // namespace plumb::reduction
