#include "cli/memory_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "cli/rounded.h"

namespace plumb::cli {
namespace {

// What bounds always take: bounds, lines and error weights of every element, and one row in the backward pass. Rows get
// a quarter of the memory, and one takes six numbers per element of the largest value (bounds/bounds.cc).
std::int64_t least_bytes(const network::Network& network) {
  constexpr std::int64_t kNumbersPerElement = 10, kNumbersPerRowElement = 4 * 6, kBytes = sizeof(double);
  std::int64_t elements = 0, largest = 1;
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    elements += network.size(id);
    largest = std::max(largest, network.size(id));
  }
  return kBytes * (kNumbersPerElement * elements + kNumbersPerRowElement * largest);
}

}  // namespace

std::int64_t memory_of_each(double gib, std::int64_t questions, const network::Network& network) {
  const double bytes_per_gib = std::pow(2.0, 30), count = static_cast<double>(std::max<std::int64_t>(1, questions));
  const double bytes = gib * bytes_per_gib / count, least = static_cast<double>(least_bytes(network));
  if (bytes < least) {
    throw UsageError("--memory", fmt::format("{} GiB is less than bounds of this network take", gib),
                     fmt::format("give at least {}", upper_text(least * count / bytes_per_gib, 2)));
  }
  return static_cast<std::int64_t>(std::min(bytes, 0x1p62));
}

}  // namespace plumb::cli
