#include "bounds/backward.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/overloaded.h"
#include "bounds/backward_pass.h"
#include "network/op_kind.h"

namespace plumb::bounds {
namespace {

// Whether an element of a node has a single linear form in the node's argument.
bool is_decided(const RegionBounds& bounds, const network::Node& node, network::NodeId id, std::int64_t element) {
  const auto relu = [&](const network::Relu&) {
    const network::NodeId argument = node.arguments[0];
    const double lower = bounds.store.lower(argument)[index(element)];
    return stability(lower, bounds.store.upper(argument)[index(element)]) != Stability::kUnstable;
  };
  const auto maximum = [&](const network::Maximum&) { return bounds.maximum[id][index(element)].is_decided(); };
  return std::visit(Overloaded{[](const network::OpWithoutUnits auto&) { return true; }, relu, maximum}, node.op);
}

}  // namespace

std::vector<double> lower_bounds(const RegionBounds& bounds, Functionals functionals, const Budget* budget) {
  return BackwardPass(bounds, std::move(functionals), nullptr, nullptr, {.budget = budget}).lower_bounds();
}

std::int64_t most_bytes_of_row(const network::Network& network) {
  std::int64_t largest = 1;
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) largest = std::max(largest, network.size(id));
  return 3 * largest * static_cast<std::int64_t>(sizeof(double));
}

BoundedRows lower_bounds(const RegionBounds& bounds, Functionals functionals, RowRelaxation& relaxation,
                         const Budget* budget) {
  return BackwardPass(bounds, std::move(functionals), nullptr, &relaxation, {.budget = budget}).bounded_rows();
}

Functionals moved_back(const RegionBounds& bounds, Functionals functionals, network::NodeId end, const Budget* budget) {
  return BackwardPass(bounds, std::move(functionals), nullptr, nullptr, {.before = end, .budget = budget})
      .functionals();
}

std::vector<double> lower_bounds_by_values(const RegionBounds& bounds, Functionals functionals) {
  return BackwardPass(bounds, std::move(functionals), nullptr, nullptr, {.at_units = true}).lower_bounds_by_values();
}

UndecidedElements undecided_elements(const RegionBounds& bounds, network::NodeId before) {
  const network::Network& network = bounds.network->network();
  UndecidedElements undecided;
  undecided.variable.resize(network.nodes().size());
  for (network::NodeId id = 0; id < std::min(before, network.nodes().size()); ++id) {
    const network::Node& node = network.node(id);
    if (!has_units(node.op) || !bounds.store.has(id)) continue;
    for (std::int64_t i = 0; i < network.size(id); ++i) {
      const bool decided = is_decided(bounds, node, id, i);
      undecided.variable[id].push_back(decided ? -1 : static_cast<std::int32_t>(undecided.count++));
    }
  }
  return undecided;
}

SubstitutedRows substitute(const RegionBounds& bounds, const UndecidedElements& undecided, Functionals functionals,
                           const Budget* budget) {
  return BackwardPass(bounds, std::move(functionals), &undecided, nullptr, {.budget = budget}).rows();
}

}  // namespace plumb::bounds
