// relu_hull.h: over-estimators of y = relu(w . x + b) over a box, and what makes each of them valid.
//
// Any vector g gives one. With
//     inactive = max over the box of -g . x            active = max over the box of (w - g) . x + b
// y <= g . x + inactive where y is zero, and y <= g . x + active where y is w . x + b. So
//     y <= g . x + max(inactive, active)               everywhere (search/cuts/cut_separation.h)
//     y <= g . x + inactive (1 - a) + active a         with an a in {0, 1} that says which (milp/encoding/hull_rows.h).
// Both families are those of Anderson et al.: the second is complete with g_i = w_i for the i of a subset and zero for
// the others, the first is what is left of it when a is eliminated. How g is chosen differs; that it is valid does not.
//
// Sound: the two sums are rounded up, for g and w as they are stored. Whatever rounding g went through is paid for.
#pragma once

#include <algorithm>

#include "base/rounding.h"

namespace plumb::reduction {

// The ends of a range where w x is least and largest.
struct EndsByWeight {
  double least = 0, largest = 0;
};
inline EndsByWeight ends_by_weight(double w, double lower, double upper) {
  return w >= 0 ? EndsByWeight{lower, upper} : EndsByWeight{upper, lower};
}

class HullIntercepts {
 public:
  // b is at most b_up.
  explicit HullIntercepts(double b_up) : active_(b_up) {}

  // One coordinate of the box: x between the ends, which are finite.
  void add(double w, double g, const EndsByWeight& x) {
    inactive_ = sum_up(inactive_, std::max(product_up(-g, x.least), product_up(-g, x.largest)));
    if (g == w) return;
    const double low = sum_down(w, -g), high = sum_up(w, -g);  // w - g is between them
    active_ = sum_up(active_, std::max({product_up(low, x.least), product_up(low, x.largest), product_up(high, x.least),
                                        product_up(high, x.largest)}));
  }

  double inactive() const { return inactive_; }
  double active() const { return active_; }

 private:
  double inactive_ = 0, active_;
};

}  // namespace plumb::reduction
