#include "bounds/region_bounds.h"

#include <algorithm>

#include "base/overloaded.h"

namespace plumb::bounds {
namespace {

// Only polytopes, and affine images with inequalities, may be empty: a Region does not check them when it is made.
bool may_be_empty(const property::Region& region) {
  const Overloaded part_may_be_empty{[](const property::Box&) { return false; },
                                     [](const property::Ball&) { return false; },
                                     [](const property::AffineImage& image) { return !image.inequalities.empty(); },
                                     [](const property::Polytope&) { return true; }};
  return std::ranges::all_of(region.parts(),
                             [&](const property::SimpleRegion& part) { return std::visit(part_may_be_empty, part); });
}

}  // namespace

BoundedNetwork::BoundedNetwork(std::shared_ptr<const network::Network> network)
    : network_(std::move(network)), images_(images_of(*network_)) {
  for (network::NodeId id = 0; id < network_->nodes().size(); ++id) maps_.push_back(AffineMap::of(*network_, id));
}

RegionBounds::RegionBounds(std::shared_ptr<const BoundedNetwork> bounded, const property::Region& over)
    : network(std::move(bounded)),
      parts(over.parts()),
      inputs(enclosing_box(over)),
      store(network->network(), may_be_empty(over)),
      error_weight(network->network().nodes().size()),
      underflow(network->network().nodes().size(), 0.0),
      scale(network->network().nodes().size()),
      relu(network->network().nodes().size()),
      maximum(network->network().nodes().size()),
      magnitude(network->network().nodes().size()),
      total_magnitude(network->network().nodes().size(), 0.0) {
  for (property::SimpleRegion& part : parts) {
    const auto* ball = std::get_if<property::Ball>(&part);
    if (ball != nullptr && ball->norm == property::Norm::kLinf) part = enclosing_box(part);
  }
}

void RegionBounds::set_magnitude(network::NodeId id) {
  magnitude[id] = store.magnitudes(id);
  total_magnitude[id] = total_above(magnitude[id]);
}

}  // namespace plumb::bounds
