// summary.h: statistics of the bounds on a network, layer by layer; bounds on margins.
#pragma once

#include <vector>

#include "bounds/bounds.h"
#include "verdict/layer_summary.h"

namespace plumb::bounds {

// One entry per ReLU or maximum node, in the order of the nodes.
std::vector<verdict::LayerSummary> summarise(const RegionBounds& bounds);

struct Margin {
  std::int64_t target = 0;
  double lower = 0;  // lower bound on y_label - y_target
};

// The functionals y_label - y_target for every other output, as row-major coefficients of the outputs.
std::vector<double> margin_functionals(std::int64_t outputs, std::int64_t label);

// The same as rows over the output nodes.
Functionals margin_rows(const RegionBounds& bounds, std::int64_t label);

// Combines the lower bounds of margin_rows() with the target labels.
std::vector<Margin> margins(std::span<const double> lower, std::int64_t label);

}  // namespace plumb::bounds
