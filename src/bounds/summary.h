// summary.h: what bounds say about a network, counted layer by layer.
#pragma once

#include <string>
#include <vector>

#include "bounds/bounds.h"

namespace plumb::bounds {

// The units of one ReLU or maximum operation.
struct LayerSummary {
  std::string name;
  std::int64_t units = 0;
  // Of a ReLU: always positive, never positive, either. Of a maximum: one member always wins (counted as active), or
  // several may (unstable).
  std::int64_t active = 0, inactive = 0, unstable = 0;
  double mean_width = 0;  // of the bounds on the operation's argument
  // How many of the two bounds of each argument element came from which method.
  std::int64_t by_interval = 0, by_linear = 0, by_alpha = 0, by_lp = 0, by_milp = 0;
  // How many argument elements were refined beyond intervals, and why others were not.
  std::int64_t refined = 0, already_decided = 0, exact = 0;
};

std::vector<LayerSummary> summarise(const RegionBounds& bounds);

struct Margin {
  std::int64_t target = 0;
  double lower = 0;  // y_label - y_target is never below
};

// y_label - y_target for every other output, row-major, as coefficients of the outputs.
std::vector<double> margin_functionals(std::int64_t outputs, std::int64_t label);

// The same as rows over the output nodes.
Functionals margin_rows(const RegionBounds& bounds, std::int64_t label);

// From lower bounds of margin_rows().
std::vector<Margin> margins(std::span<const double> lower, std::int64_t label);

}  // namespace plumb::bounds
