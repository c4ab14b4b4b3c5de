#include "bounds/bound_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace plumb {

BoundStore::BoundStore(const Network& network)
    : network_(network),
      lower_(network.nodes().size()),
      upper_(network.nodes().size()),
      lower_method_(network.nodes().size()),
      upper_method_(network.nodes().size()) {}

void BoundStore::check(NodeId id, std::int64_t i) const {
  const double low = lower_[id][static_cast<std::size_t>(i)], high = upper_[id][static_cast<std::size_t>(i)];
  if (std::isfinite(low) && std::isfinite(high) && low <= high) return;
  throw InternalError(fmt::format("bounds of node '{}', element {}", network_.node(id).name, i),
                      fmt::format("[{}, {}] are not bounds", low, high));
}

void BoundStore::set(NodeId id, std::vector<double> lower, std::vector<double> upper, BoundMethod method) {
  lower_method_[id].assign(lower.size(), method);
  upper_method_[id].assign(upper.size(), method);
  lower_[id] = std::move(lower);
  upper_[id] = std::move(upper);
  for (std::int64_t i = 0; i < network_.size(id); ++i) check(id, i);
}

void BoundStore::tighten_lower(NodeId id, std::int64_t i, double bound, BoundMethod method) {
  double& current = lower_[id][static_cast<std::size_t>(i)];
  if (bound <= current) return;
  current = bound;
  lower_method_[id][static_cast<std::size_t>(i)] = method;
  check(id, i);
}

void BoundStore::tighten_upper(NodeId id, std::int64_t i, double bound, BoundMethod method) {
  double& current = upper_[id][static_cast<std::size_t>(i)];
  if (bound >= current) return;
  current = bound;
  upper_method_[id][static_cast<std::size_t>(i)] = method;
  check(id, i);
}

std::vector<double> BoundStore::magnitudes(NodeId id) const {
  std::vector<double> result(lower_[id].size());
  std::transform(lower_[id].begin(), lower_[id].end(), upper_[id].begin(), result.begin(),
                 [](double low, double high) { return std::max(std::abs(low), std::abs(high)); });
  return result;
}

}  // namespace plumb
