// interval_row.h: one interval per input: a box of inputs, or the coefficients of a functional.
#pragma once

#include <vector>

#include "audit/interval.h"
#include "property/region.h"

namespace plumb::audit {

using Row = std::vector<Interval>;

inline Row box_of(const property::Box& box) {
  Row row;
  for (std::size_t i = 0; i < box.size(); ++i) row.push_back({box.lower[i], box.upper[i]});
  return row;
}

// The least value of row . x over the box.
inline double minimum_over(const Row& box, const Row& row) {
  Interval sum;
  for (std::size_t i = 0; i < box.size(); ++i) sum = sum + row[i] * box[i];
  return sum.low;
}

}  // namespace plumb::audit
