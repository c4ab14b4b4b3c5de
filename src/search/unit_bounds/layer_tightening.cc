#include "search/unit_bounds/layer_tightening.h"

#include <utility>

#include "base/numbers.h"
#include "base/overloaded.h"
#include "bounds/bounds.h"
#include "lanes/claims.h"
#include "network/op_kind.h"

namespace plumb::search {
namespace {

bool is_relu(const network::Op& op) {
  return std::visit(
      Overloaded{[](const network::OpWithoutUnits auto&) { return false; }, [](const network::Relu&) { return true; },
                 [](const network::Maximum&) { return false; }},
      op);
}

}  // namespace

LayerTightening::LayerTightening(bounds::RegionBounds& bounds, LayerOptions options,
                                 const lanes::BoundingBackEnd& back_end, Budget& budget, events::EventSink& events)
    : bounds_(bounds),
      network_(bounds.network->network()),
      options_(std::move(options)),
      back_end_(back_end),
      budget_(budget),
      events_(events) {}

UnitTreeCounts LayerTightening::tighten() {
  constexpr std::int64_t kFewest = 50;  // a round that decides less than one in so many units is the last
  UnitTreeCounts counts;
  open_ = 0;
  changed_ = false;
  for (network::NodeId id = 0; id < network_.nodes().size() && !too_large_; ++id) {
    if (!is_relu(network_.node(id).op)) continue;
    if (budget_.reached() != LimitReached::kNone) break;
    counts += tighten(network_.node(id).arguments[0]);
  }
  options_.trees.subproblems_per_side *= 4;
  may_gain_ = kFewest * counts.decided > open_;
  return counts;
}

UnitTreeCounts LayerTightening::tighten(network::NodeId id) {
  if (bounds::is_affine_in_a_box(bounds_, id)) return {};
  if (stuck_.contains(id) && !changed_) return {};
  Layer layer = open_layer(id);
  if (layer.elements.empty()) return {};
  const auto reduced = reduction::ReducedNetwork::build(bounds_, id, layer.elements, options_.most_bytes, &budget_);
  if (budget_.reached() != LimitReached::kNone) return {};
  too_large_ = !reduced;
  if (too_large_ || reduced->unit_count() == 0) return {};
  const UnitTreeCounts counts = bound(id, layer, *reduced);
  for (std::size_t e = 0; e < layer.elements.size(); ++e) {
    bounds_.store.tighten_lower(id, layer.elements[e], layer.ranges[e].lower, bounds::BoundMethod::kAlpha);
    bounds_.store.tighten_upper(id, layer.elements[e], layer.ranges[e].upper, bounds::BoundMethod::kAlpha);
  }
  draw_lines_over(id);
  open_ += std::ssize(layer.elements);
  changed_ = changed_ || counts.decided > 0;
  if (counts.decided > 0)
    stuck_.erase(id);
  else
    stuck_.insert(id);
  return counts;
}

UnitTreeCounts LayerTightening::bound(network::NodeId id, Layer& layer, const reduction::ReducedNetwork& reduced) {
  const bool listened = events_.wants_details();
  if (listened) {
    events_.units_listed(lanes::unit_list(bounds_, reduced));
    events_.element_trees_begin(id, layer.elements);
  }
  const UnitTreeCounts counts = bound_by_trees(reduced, options_.trees, back_end_, budget_, events_, layer.ranges);
  std::vector<double> bounds;
  for (const UnitRange& range : layer.ranges) {
    bounds.push_back(range.lower);
    bounds.push_back(-range.upper);
  }
  if (listened) events_.element_trees_end(bounds);
  return counts;
}

// Redraws the lines of all nodes that read this one. A ReLU that the store decides must never keep the lines of an
// undecided one: they would be taken for its value.
void LayerTightening::draw_lines_over(network::NodeId id) {
  for (network::NodeId reader = id + 1; reader < network_.nodes().size(); ++reader) {
    const std::vector<network::NodeId>& arguments = network_.node(reader).arguments;
    if (!arguments.empty() && arguments[0] == id) bounds::draw_lines(bounds_, reader);
  }
}

LayerTightening::Layer LayerTightening::open_layer(network::NodeId id) const {
  const std::span<const double> lower = bounds_.store.lower(id), upper = bounds_.store.upper(id);
  Layer layer;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (bounds::stability(lower[i], upper[i]) != bounds::Stability::kUnstable) continue;
    layer.elements.push_back(static_cast<std::int64_t>(i));
    layer.ranges.push_back({lower[i], upper[i]});
  }
  return layer;
}

}  // namespace plumb::search
