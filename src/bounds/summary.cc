#include "bounds/summary.h"

namespace plumb {
namespace {

void count_stability(const RegionBounds& bounds, NodeId id, LayerSummary& layer) {
  const Network& network = bounds.network.network();
  const NodeId argument = network.node(id).arguments[0];
  if (std::holds_alternative<Maximum>(network.node(id).op)) {
    for (const MaximumLines& lines : bounds.maximum[id]) {
      ++(lines.is_decided() ? layer.active : layer.unstable);
    }
    return;
  }
  for (std::size_t i = 0; i < bounds.store.lower(argument).size(); ++i) {
    switch (stability(bounds.store.lower(argument)[i], bounds.store.upper(argument)[i])) {
      case Stability::kActive:
        ++layer.active;
        break;
      case Stability::kInactive:
        ++layer.inactive;
        break;
      case Stability::kUnstable:
        ++layer.unstable;
        break;
    }
  }
}

void count_methods(const BoundStore& store, NodeId argument, std::int64_t size, LayerSummary& layer) {
  double width = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    width += store.upper(argument)[at] - store.lower(argument)[at];
    for (const BoundMethod method : {store.lower_method(argument, i), store.upper_method(argument, i)}) {
      ++(method == BoundMethod::kInterval ? layer.by_interval : layer.by_linear);
    }
  }
  layer.mean_width = size == 0 ? 0 : width / static_cast<double>(size);
}

}  // namespace

std::vector<LayerSummary> summarise(const RegionBounds& bounds) {
  const Network& network = bounds.network.network();
  std::vector<LayerSummary> layers;
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    const Node& node = network.node(id);
    if (!std::holds_alternative<Relu>(node.op) && !std::holds_alternative<Maximum>(node.op)) continue;
    LayerSummary layer;
    layer.name = node.name;
    layer.units = network.size(id);
    count_stability(bounds, id, layer);
    count_methods(bounds.store, node.arguments[0], network.size(node.arguments[0]), layer);
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::vector<double> margin_functionals(std::int64_t outputs, std::int64_t label) {
  std::vector<double> functionals;
  for (std::int64_t target = 0; target < outputs; ++target) {
    if (target == label) continue;
    std::vector<double> row(static_cast<std::size_t>(outputs), 0.0);
    row[static_cast<std::size_t>(label)] = 1.0;
    row[static_cast<std::size_t>(target)] = -1.0;
    functionals.insert(functionals.end(), row.begin(), row.end());
  }
  return functionals;
}

std::vector<Margin> margins(const RegionBounds& bounds, std::int64_t label) {
  const std::int64_t outputs = bounds.network.network().output_size();
  std::vector<Margin> result;
  for (std::int64_t target = 0; target < outputs; ++target) {
    if (target != label) result.push_back({target, 0.0});
  }
  if (result.empty()) return result;
  const std::vector<double> lower = output_lower_bounds(bounds, margin_functionals(outputs, label));
  for (std::size_t i = 0; i < result.size(); ++i) result[i].lower = lower[i];
  return result;
}

}  // namespace plumb
