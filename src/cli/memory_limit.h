// memory_limit.h: --memory in bytes, if the limit can be kept.
#pragma once

#include <cstdint>

#include "network/network.h"

namespace plumb::cli {

// Returns how many bytes each of `questions` may take if they share a limit in GiB. Throws UsageError, which names the
// least limit that works, if that is less than what bounds of the network always take.
std::int64_t memory_of_each(double gib, std::int64_t questions, const network::Network& network);

}  // namespace plumb::cli
