// checker_network.h: a network in the checker's terms, operation by operation.
//
// In:  a network; each of its nodes with units has a name (network::UnitNodeName).
// Out: the same nodes in the same order. Coefficients that were rounded become intervals that contain the true ones.
#pragma once

#include "network.h"  // the checker's
#include "network/network.h"

namespace plumb::audit {

checker::Network checker_network(const network::Network& network);

}  // namespace plumb::audit
