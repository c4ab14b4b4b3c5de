// layer_tightening.h: tightens the ranges of undecided units layer by layer, each layer with what the layers before it
// have gained.
//
// In:  bounds over a region of one part (bounds/bounds.h).
// Out: tighter bounds in the store, and lines that follow from them. Bounds that cross prove that the region is empty
//      (bounds/bound_store.h).
//
// A few units that are decided in one layer decide many in the next. Where linear bounds are hopeless at the end of a
// deep network, its first layers often have few undecided units before them, and trees decide much there
// (unit_trees.h). Layers whose arguments are affine over a box are exact already and are left out.
//
// Each call of tighten() is a round, with trees four times as large as those of the round before. A round leaves out
// layers that gained nothing in the round before if nothing has changed in the layers before them.
#pragma once

#include <set>

#include "bounds/region_bounds.h"
#include "search/unit_bounds/unit_trees.h"

namespace plumb::search {

struct LayerOptions {
  UnitTreeOptions trees;                            // of the first round
  std::int64_t most_bytes = std::int64_t{1} << 30;  // of one layer's reduced network; a layer that needs more ends it
};

class LayerTightening {
 public:
  // Keeps references to all arguments but the options.
  LayerTightening(bounds::RegionBounds& bounds, LayerOptions options, const lanes::BoundingBackEnd& back_end,
                  Budget& budget, events::EventSink& events);

  UnitTreeCounts tighten();
  // Whether another round is likely to gain something: before the first round, and while rounds decide units.
  bool may_gain() const { return may_gain_; }

 private:
  struct Layer {
    std::vector<std::int64_t> elements;
    std::vector<UnitRange> ranges;
  };

  UnitTreeCounts tighten(network::NodeId id);
  UnitTreeCounts bound(network::NodeId id, Layer& layer, const reduction::ReducedNetwork& reduced);
  void draw_lines_over(network::NodeId id);
  Layer open_layer(network::NodeId id) const;

  bounds::RegionBounds& bounds_;
  const network::Network& network_;
  LayerOptions options_;
  const lanes::BoundingBackEnd& back_end_;
  Budget& budget_;
  events::EventSink& events_;
  std::set<network::NodeId> stuck_;  // layers that gained nothing in their last round
  std::int64_t open_ = 0;            // units, in this round
  bool changed_ = false, may_gain_ = true, too_large_ = false;
};

}  // namespace plumb::search
