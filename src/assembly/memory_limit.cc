#include "assembly/memory_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace plumb::assembly {
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

double gib(double bytes) { return bytes / static_cast<double>(kBytesPerGib); }

// Rounds a positive number up to two digits, which are enough for a limit and short to type.
double two_digits_above(double x) {
  const double unit = std::pow(10, std::floor(std::log10(x)) - 1);
  return std::ceil(x / unit) * unit;
}

}  // namespace

std::int64_t memory_of_each(std::int64_t bytes, std::int64_t questions, const network::Network& network) {
  const std::int64_t count = std::max<std::int64_t>(1, questions), least = least_bytes(network);
  if (bytes / count < least) {
    const double needed = static_cast<double>(least) * static_cast<double>(count);
    throw ArgumentError(
        "memory",
        fmt::format("{:.3g} GiB is less than the bounds of this network need", gib(static_cast<double>(bytes))),
        fmt::format("give at least {:.2g}", two_digits_above(gib(needed))));
  }
  return bytes / count;
}

}  // namespace plumb::assembly
