#include "bounds/bound_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace plumb::bounds {

BoundStore::BoundStore(const network::Network& network, bool region_may_be_empty)
    : network_(network),
      lower_(network.nodes().size()),
      upper_(network.nodes().size()),
      lower_method_(network.nodes().size()),
      upper_method_(network.nodes().size()),
      refinement_(network.nodes().size()),
      region_may_be_empty_(region_may_be_empty) {}

bool BoundStore::check(network::NodeId id, std::int64_t i, double low, double high) {
  if (std::isfinite(low) && std::isfinite(high) && low <= high) return true;
  if (region_may_be_empty_ && low > high) {
    region_is_empty_ = true;
    return false;
  }
  if (!std::isfinite(low) || !std::isfinite(high)) {
    throw OverflowError(fmt::format("node '{}'", network_.node(id).name),
                        fmt::format("element {} is too large over the region for double arithmetic", i),
                        "use a smaller region, or scale the network's weights");
  }
  throw InternalError(fmt::format("bounds of node '{}', element {}", network_.node(id).name, i),
                      fmt::format("[{}, {}] are not bounds", low, high));
}

void BoundStore::set(network::NodeId id, std::vector<double> lower, std::vector<double> upper, BoundMethod method) {
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (check(id, static_cast<std::int64_t>(i), lower[i], upper[i])) continue;
    std::swap(lower[i], upper[i]);  // the region is empty, so any bounds are valid; later nodes need an interval
  }
  lower_method_[id].assign(lower.size(), method);
  upper_method_[id].assign(upper.size(), method);
  refinement_[id].assign(lower.size(), Refinement::kNotNeeded);
  lower_[id] = std::move(lower);
  upper_[id] = std::move(upper);
}

void BoundStore::tighten_lower(network::NodeId id, std::int64_t i, double bound, BoundMethod method) {
  const auto at = static_cast<std::size_t>(i);
  if (bound <= lower_[id][at] || !check(id, i, bound, upper_[id][at])) return;
  lower_[id][at] = bound;
  lower_method_[id][at] = method;
}

void BoundStore::tighten_upper(network::NodeId id, std::int64_t i, double bound, BoundMethod method) {
  const auto at = static_cast<std::size_t>(i);
  if (bound >= upper_[id][at] || !check(id, i, lower_[id][at], bound)) return;
  upper_[id][at] = bound;
  upper_method_[id][at] = method;
}

std::vector<double> BoundStore::magnitudes(network::NodeId id) const {
  std::vector<double> result(lower_[id].size());
  std::transform(lower_[id].begin(), lower_[id].end(), upper_[id].begin(), result.begin(),
                 [](double low, double high) { return std::max(std::abs(low), std::abs(high)); });
  return result;
}

}  // namespace plumb::bounds
