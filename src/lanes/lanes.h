// lanes.h: many subproblems on one reduced network, one per SIMD lane.
//
// A subproblem consists of a row to be bounded (its functional); for each unit the slope of its lower line, or a split
// decision with its multiplier; and for each cut a weight. All arrays are [index][lane]. How many lanes there are is up
// to the back end (back_end.h). A lane's results do not depend on the other lanes, nor on the width of the machine's
// vectors.
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned_vector.h"

namespace plumb::lanes {

// A table [index][lane], without gaps between rows.
template <class T>
class LaneTable {
 public:
  void resize(std::int64_t count, std::int64_t width) {
    count_ = count;
    width_ = width;
    values_.assign(static_cast<std::size_t>(count * width), T{0});
  }
  std::int64_t count() const { return count_; }
  T& at(std::int64_t i, std::int64_t lane) { return values_[static_cast<std::size_t>(i * width_ + lane)]; }
  T at(std::int64_t i, std::int64_t lane) const { return values_[static_cast<std::size_t>(i * width_ + lane)]; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  void fill(T value) { values_.assign(values_.size(), value); }

 private:
  std::int64_t count_ = 0, width_ = 0;
  AlignedVector<T> values_;
};

// One number per lane.
template <class T>
using LaneRow = AlignedVector<T>;

// The values of one lane.
template <class T>
std::vector<T> column_of(const LaneTable<T>& table, std::int64_t lane) {
  std::vector<T> column(static_cast<std::size_t>(table.count()));
  for (std::int64_t i = 0; i < table.count(); ++i) column[static_cast<std::size_t>(i)] = table.at(i, lane);
  return column;
}

template <class T>
struct Lanes {
  Lanes(std::int64_t width, std::int64_t inputs, std::int64_t units, std::int64_t cuts, std::int64_t constraints)
      : constant(static_cast<std::size_t>(width)),
        start_error(static_cast<std::size_t>(width)),
        row(static_cast<std::size_t>(width), -1),
        sign(static_cast<std::size_t>(width)),
        rate(static_cast<std::size_t>(width), T{1}),
        bound(static_cast<std::size_t>(width)) {
    for (auto* table : {&slope, &split, &multiplier, &upper_slope, &upper_intercept, &on_value})
      table->resize(units, width);
    for (auto* table : {&on_row, &argument}) table->resize(units + cuts + constraints, width);
    for (auto* table : {&start, &values}) table->resize(inputs + units, width);
    gradient.resize(inputs, width);
    weight.resize(cuts, width);
    for (auto* table : {&constraint_multiplier, &has_constraint}) table->resize(constraints, width);
  }

  // What is asked, that is, what the lane bounds. A LaneNetwork stores it as start . (u, r) + constant, known to within
  // start_error. LayeredLanes stores the number of its row (-1: nothing is asked) and its sign.
  LaneTable<T> start;
  LaneRow<T> constant, start_error;
  std::vector<std::int64_t> row;
  LaneRow<T> sign;

  // How units are relaxed. `split` is 0 for open, 1 for active, -1 for inactive units. Slopes and multipliers are as in
  // reduction/row_bound.h. Upper lines may differ from lane to lane, as bounds may.
  LaneTable<T> slope, split, multiplier;
  LaneTable<T> upper_slope, upper_intercept;
  LaneRow<T> rate;  // scales the steps of slope ascent
  // Per cut of one unit: its share of the unit's negative coefficient. The weights of a unit's cuts sum to at most 1.
  // Per joint cut: the multiple of its excess (reduction/cuts.h) that is added to what is asked, at least 0.
  LaneTable<T> weight;

  // Per constraint: its multiplier, at least 0, and whether the lane has the constraint (1) or not (0). Constraints are
  // rows that are at most zero at every unsafe point, so multiples of them may be added to what is asked.
  LaneTable<T> constraint_multiplier, has_constraint;

  // Results of backward(): the bound, the coefficients of each r and of each row. It also stores the minimiser in the
  // inputs of `values`.
  LaneRow<T> bound;
  LaneTable<T> on_value, on_row;
  // Results of forward() and evaluate() at the inputs in `values`: arguments z of units and cuts, values r of units.
  LaneTable<T> argument, values;
  // Result of differentiate(). backward() stores the coefficients of the inputs here.
  LaneTable<T> gradient;
};

}  // namespace plumb::lanes
