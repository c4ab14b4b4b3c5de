// layer_tightening.h: tightens the ranges of undecided units layer by layer, each layer with what the layers before it
// have gained.
//
// In:  bounds over a region of one part (bounds/bounds.h).
// Out: tighter bounds in the store, and lines that follow from them.
//
// A few units that are decided in one layer decide many in the next. Where linear bounds are hopeless at the end of a
// deep network, its first layers often have few undecided units before them, and trees decide much there
// (unit_trees.h). Layers whose arguments are affine over a box are exact already and are left out.
#pragma once

#include "bounds/region_bounds.h"
#include "search/unit_bounds/unit_trees.h"

namespace plumb::search {

struct LayerOptions {
  UnitTreeOptions trees;
  std::int64_t most_bytes = std::int64_t{1} << 30;  // of one layer's reduced network; layers that need more end it
};

UnitTreeCounts tighten_layers(bounds::RegionBounds& bounds, const LayerOptions& options,
                              const lanes::BoundingBackEnd& back_end, Budget& budget);

}  // namespace plumb::search
