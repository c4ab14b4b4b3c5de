#include "search/tree/look_ahead.h"

#include <algorithm>

#include "base/numbers.h"

namespace plumb::search {

template <class T>
void LaneLookAhead<T>::set_parent(const lanes::Lanes<T>& lanes, const lanes::Ascent<T>& found, std::int64_t lane,
                                  const lanes::AscentOptions& options) {
  parent_ = &lanes;
  found_ = &found;
  parent_lane_ = lane;
  options_ = options;
}

template <class T>
std::vector<ChildBounds> LaneLookAhead<T>::bound_children(std::span<const std::int32_t> units, int steps) {
  if (!memory_) memory_.emplace(system_);
  lanes::AscentOptions options = options_;
  options.steps = steps;
  options.target = kInfinity;
  std::vector<ChildBounds> bounds;
  const std::size_t at_once = index(system_.width() / 2);
  for (std::size_t first = 0; first < units.size(); first += at_once) {
    const std::size_t count = std::min(at_once, units.size() - first);
    for (std::size_t i = 0; i < at_once; ++i) {  // unused lanes repeat the last unit
      const std::int32_t unit = units[first + std::min(i, count - 1)];
      put_child(unit, T{1}, static_cast<std::int64_t>(2 * i));
      put_child(unit, T{-1}, static_cast<std::int64_t>(2 * i + 1));
    }
    const int taken = system_.ascend(memory_->lanes, options, memory_->ascent);
    cost_ += (2 * taken + 1) * system_.width() * system_.pass_cost();
    for (std::size_t i = 0; i < count; ++i) {
      bounds.push_back(
          {static_cast<double>(memory_->ascent.bound[2 * i]), static_cast<double>(memory_->ascent.bound[2 * i + 1])});
    }
  }
  return bounds;
}

template <class T>
void LaneLookAhead<T>::put_child(std::int32_t unit, T side, std::int64_t lane) {
  lanes::Lanes<T>& child = memory_->lanes;
  const auto copy = [&](const lanes::LaneTable<T>& from, lanes::LaneTable<T>& to) {
    for (std::int64_t i = 0; i < from.count(); ++i) to.at(i, lane) = from.at(i, parent_lane_);
  };
  copy(parent_->start, child.start);
  copy(parent_->has_constraint, child.has_constraint);
  copy(parent_->split, child.split);
  copy(parent_->upper_slope, child.upper_slope);
  copy(parent_->upper_intercept, child.upper_intercept);
  copy(found_->slope, child.slope);
  copy(found_->multiplier, child.multiplier);
  copy(found_->weight, child.weight);
  copy(found_->constraint_multiplier, child.constraint_multiplier);
  const std::size_t to = index(lane), from = index(parent_lane_);
  child.constant[to] = parent_->constant[from];
  child.start_error[to] = parent_->start_error[from];
  child.row[to] = parent_->row[from];
  child.sign[to] = parent_->sign[from];
  child.rate[to] = parent_->rate[from];
  child.split.at(unit, lane) = side;
}

template class LaneLookAhead<float>;
template class LaneLookAhead<double>;

}  // namespace plumb::search
