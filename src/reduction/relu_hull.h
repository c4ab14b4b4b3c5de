// relu_hull.h: upper bounds g . x + t on y = relu(w . x + b) over a box, and the intercepts t that make them valid.
//
// Every vector g has such intercepts. With
//     inactive = max over the box of -g . x            active = max over the box of (w - g) . x + b
// y <= g . x + inactive where y is zero, and y <= g . x + active where y is w . x + b. So
//     y <= g . x + max(inactive, active)               everywhere (search/cuts/hull_cuts.h)
//     y <= g . x + inactive (1 - a) + active a         with a = 1 where active, else 0 (milp/encoding/hull_rows.h).
// Both families are those of Anderson et al. The second describes the convex hull completely, with g_i = w_i for the i
// of a subset and zero for the others. Eliminating a from it yields the first. The two callers choose g differently;
// the bounds are valid for every g.
//
// Sound: the two intercepts are rounded up for g and w as they are stored. Rounding in the choice of g needs no error
//        term.
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
  // `b_up` is an upper bound on b.
  explicit HullIntercepts(double b_up) : active_(b_up) {}

  // Adds one coordinate of the box. `x` holds the ends of its range, which must be finite.
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
