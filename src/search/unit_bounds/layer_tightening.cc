#include "search/unit_bounds/layer_tightening.h"

#include "base/numbers.h"
#include "base/overloaded.h"
#include "bounds/bounds.h"
#include "network/op_kind.h"

namespace plumb::search {
namespace {

bool is_relu(const network::Op& op) {
  return std::visit(
      Overloaded{[](const network::OpWithoutUnits auto&) { return false; }, [](const network::Relu&) { return true; },
                 [](const network::Maximum&) { return false; }},
      op);
}

class LayerTightening {
 public:
  LayerTightening(bounds::RegionBounds& bounds, const LayerOptions& options, const lanes::BoundingBackEnd& back_end,
                  Budget& budget)
      : bounds_(bounds), network_(bounds.network->network()), options_(options), back_end_(back_end), budget_(budget) {}

  UnitTreeCounts run() {
    for (network::NodeId id = 0; id < network_.nodes().size(); ++id) {
      if (!is_relu(network_.node(id).op)) continue;
      if (budget_.reached() != LimitReached::kNone || !tighten(network_.node(id).arguments[0])) break;
      bounds::draw_lines(bounds_, id);
    }
    return counts_;
  }

 private:
  // Returns false if the layer is too large.
  bool tighten(network::NodeId id) {
    if (bounds::is_affine_in_a_box(bounds_, id)) return true;
    const std::vector<bool> open = bounds::open_elements(bounds_, id);
    std::vector<std::int64_t> elements;
    std::vector<UnitRange> ranges;
    for (std::int64_t i = 0; i < network_.size(id); ++i) {
      if (!open[index(i)]) continue;
      elements.push_back(i);
      ranges.push_back({bounds_.store.lower(id)[index(i)], bounds_.store.upper(id)[index(i)]});
    }
    if (elements.empty()) return true;
    const auto reduced = reduction::ReducedNetwork::build(bounds_, id, elements, options_.most_bytes);
    if (!reduced) return false;
    if (reduced->unit_count() == 0) return true;
    counts_ += bound_by_trees(*reduced, options_.trees, back_end_, budget_, ranges);
    for (std::size_t e = 0; e < elements.size(); ++e) {
      bounds_.store.tighten_lower(id, elements[e], ranges[e].lower, bounds::BoundMethod::kAlpha);
      bounds_.store.tighten_upper(id, elements[e], ranges[e].upper, bounds::BoundMethod::kAlpha);
    }
    return true;
  }

  bounds::RegionBounds& bounds_;
  const network::Network& network_;
  const LayerOptions& options_;
  const lanes::BoundingBackEnd& back_end_;
  Budget& budget_;
  UnitTreeCounts counts_;
};

}  // namespace

UnitTreeCounts tighten_layers(bounds::RegionBounds& bounds, const LayerOptions& options,
                              const lanes::BoundingBackEnd& back_end, Budget& budget) {
  return LayerTightening(bounds, options, back_end, budget).run();
}

}  // namespace plumb::search
