// summary.h: statistics of the bounds on a network, layer by layer; bounds on margins.
#pragma once

#include <string>
#include <vector>

#include "bounds/bounds.h"

namespace plumb::bounds {

// The elements of one ReLU or maximum node.
struct LayerSummary {
  std::string name;
  std::int64_t units = 0;
  // For a ReLU: never negative, never positive, or undecided. For a maximum: one member is always the largest (counted
  // as active), or several may be (unstable).
  std::int64_t active = 0, inactive = 0, unstable = 0;
  double mean_width = 0;  // of the bounds on the operation's argument
  // How many bounds of the argument's elements each method found; every element has two.
  std::int64_t by_interval = 0, by_linear = 0, by_alpha = 0, by_lp = 0, by_milp = 0;
  // How many of the argument's elements were refined beyond intervals, and why others were not.
  std::int64_t refined = 0, already_decided = 0, exact = 0;
};

std::vector<LayerSummary> summarise(const RegionBounds& bounds);

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
