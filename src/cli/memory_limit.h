// memory_limit.h: --memory in bytes, if it can be kept.
#pragma once

#include <cstdint>

#include "network/network.h"

namespace plumb::cli {

// Of a limit in GiB that `questions` share, what each may take. Throws UsageError, which names the least that works, if
// that is less than bounds of the network take in any case.
std::int64_t memory_of_each(double gib, std::int64_t questions, const network::Network& network);

}  // namespace plumb::cli
