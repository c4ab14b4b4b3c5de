// memory_limit.h: shares a limit of memory among questions, if the limit can be kept.
#pragma once

#include <cstdint>

#include "network/network.h"

namespace plumb::assembly {

inline constexpr std::int64_t kBytesPerGib = std::int64_t{1} << 30;

// Returns how many bytes each of `questions` may take if they share `bytes`. Throws ArgumentError, which names the
// least limit that works, if that is less than what bounds of the network always take.
std::int64_t memory_of_each(std::int64_t bytes, std::int64_t questions, const network::Network& network);

}  // namespace plumb::assembly
