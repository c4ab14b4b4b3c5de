#include "bounds/backward.h"

#include "base/numbers.h"
#include "bounds/backward_pass.h"

namespace plumb::bounds {
namespace {}  // namespace

std::vector<double> lower_bounds(const RegionBounds& bounds, Functionals functionals) {
  return BackwardPass(bounds, std::move(functionals), nullptr, nullptr).lower_bounds();
}

BoundedRows lower_bounds(const RegionBounds& bounds, Functionals functionals, RowRelaxation& relaxation) {
  return BackwardPass(bounds, std::move(functionals), nullptr, &relaxation).bounded_rows();
}

UndecidedElements undecided_elements(const RegionBounds& bounds) {
  const network::Network& network = bounds.network->network();
  UndecidedElements undecided;
  undecided.variable.resize(network.nodes().size());
  for (network::NodeId id = 0; id < network.nodes().size(); ++id) {
    const bool relu = std::holds_alternative<network::Relu>(network.node(id).op);
    if (!relu && !std::holds_alternative<network::Maximum>(network.node(id).op)) continue;
    if (!bounds.store.has(id)) continue;
    for (std::int64_t i = 0; i < network.size(id); ++i) {
      bool decided = !relu && bounds.maximum[id][index(i)].is_decided();
      if (relu) {
        const network::NodeId argument = network.node(id).arguments[0];
        decided = stability(bounds.store.lower(argument)[index(i)], bounds.store.upper(argument)[index(i)]) !=
                  Stability::kUnstable;
      }
      undecided.variable[id].push_back(decided ? -1 : static_cast<std::int32_t>(undecided.count++));
    }
  }
  return undecided;
}

SubstitutedRows substitute(const RegionBounds& bounds, const UndecidedElements& undecided, Functionals functionals) {
  return BackwardPass(bounds, std::move(functionals), &undecided, nullptr).rows();
}

}  // namespace plumb::bounds
