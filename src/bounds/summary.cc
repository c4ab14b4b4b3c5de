#include "bounds/summary.h"

#include "base/overloaded.h"
#include "network/op_kind.h"

namespace plumb::bounds {
namespace {

void count_relus(std::span<const double> lower, std::span<const double> upper, verdict::LayerSummary& layer) {
  for (std::size_t i = 0; i < lower.size(); ++i) {
    switch (stability(lower[i], upper[i])) {
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

void count_stability(const RegionBounds& bounds, network::NodeId id, verdict::LayerSummary& layer) {
  const network::Node& node = bounds.network->network().node(id);
  const auto relu = [&](const network::Relu&) {
    count_relus(bounds.store.lower(node.arguments[0]), bounds.store.upper(node.arguments[0]), layer);
  };
  const auto maximum = [&](const network::Maximum&) {
    for (const MaximumLines& lines : bounds.maximum[id]) ++(lines.is_decided() ? layer.active : layer.unstable);
  };
  std::visit(Overloaded{[](const network::OpWithoutUnits auto&) {}, relu, maximum}, node.op);
}

void count_methods(const BoundStore& store, network::NodeId argument, std::int64_t size, verdict::LayerSummary& layer) {
  double width = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    width += store.upper(argument)[at] - store.lower(argument)[at];
    for (const BoundMethod method : {store.lower_method(argument, i), store.upper_method(argument, i)}) {
      layer.by_interval += method == BoundMethod::kInterval;
      layer.by_linear += method == BoundMethod::kLinear;
      layer.by_alpha += method == BoundMethod::kAlpha;
      layer.by_lp += method == BoundMethod::kLp;
      layer.by_milp += method == BoundMethod::kMilp;
    }
    layer.refined += store.refinement(argument, i) == Refinement::kRefined;
    layer.already_decided += store.refinement(argument, i) == Refinement::kAlreadyDecided;
    layer.exact += store.refinement(argument, i) == Refinement::kExact;
  }
  layer.mean_width = size == 0 ? 0 : width / static_cast<double>(size);
}

}  // namespace

std::vector<verdict::LayerSummary> summarise(const RegionBounds& bounds) {
  const network::Network& network = bounds.network->network();
  std::vector<verdict::LayerSummary> layers;
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    const network::Node& node = network.node(id);
    if (!has_units(node.op)) continue;
    verdict::LayerSummary layer;
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

Functionals margin_rows(const RegionBounds& bounds, std::int64_t label) {
  return output_functionals(bounds, margin_functionals(bounds.network->network().output_size(), label));
}

std::vector<Margin> margins(std::span<const double> lower, std::int64_t label) {
  std::vector<Margin> result;
  for (const double bound : lower) {
    const auto next = static_cast<std::int64_t>(result.size());
    result.push_back({next < label ? next : next + 1, bound});
  }
  return result;
}

}  // namespace plumb::bounds
