// layer_summary.h: what bounds say about the units of one layer, in numbers.
#pragma once

#include <cstdint>
#include <string>

namespace plumb::verdict {

// One ReLU or maximum node. `Number` is std::int64_t for the counts of one region, double for means over several.
template <class Number>
struct LayerNumbers {
  std::string name;
  std::int64_t units = 0;
  // For a ReLU: never negative, never positive, or undecided. For a maximum: one member is always the largest (counted
  // as active), or several may be (unstable).
  Number active = 0, inactive = 0, unstable = 0;
  double mean_width = 0;  // of the bounds on the operation's argument
  // How many bounds of the argument's elements each method found; every element has two.
  Number by_interval = 0, by_linear = 0, by_alpha = 0, by_lp = 0, by_milp = 0;
  // How many of the argument's elements were refined beyond intervals, and why others were not.
  Number refined = 0, already_decided = 0, exact = 0;
};

using LayerSummary = LayerNumbers<std::int64_t>;

}  // namespace plumb::verdict
