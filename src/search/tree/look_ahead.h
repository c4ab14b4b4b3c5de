// look_ahead.h: bounds the children of a subproblem in lanes of their own, for branching rules that look ahead.
#pragma once

#include <optional>
#include <utility>

#include "lanes/lane_system.h"
#include "search/tree/branching.h"

namespace plumb::search {

template <class T>
class LaneLookAhead final : public LookAhead {
 public:
  // Keeps a reference. Lanes are made when they are first needed, because most rules never look ahead.
  explicit LaneLookAhead(const lanes::LaneSystem<T>& system) : system_(system) {}

  // The subproblem in this lane is the parent from now on: `lanes` holds its functional and its decisions, `found` its
  // best choices. Keeps references.
  void set_parent(const lanes::Lanes<T>& lanes, const lanes::Ascent<T>& found, std::int64_t lane,
                  const lanes::AscentOptions& options);

  std::vector<ChildBounds> bound_children(std::span<const std::int32_t> units, int steps) override;

  // Multiplications since the last call.
  std::int64_t take_cost() { return std::exchange(cost_, 0); }

 private:
  struct Memory {
    explicit Memory(const lanes::LaneSystem<T>& system) : lanes(system.lanes()), ascent(system) {}
    lanes::Lanes<T> lanes;
    lanes::Ascent<T> ascent;
  };

  void put_child(std::int32_t unit, T side, std::int64_t lane);

  const lanes::LaneSystem<T>& system_;
  const lanes::Lanes<T>* parent_ = nullptr;
  const lanes::Ascent<T>* found_ = nullptr;
  std::int64_t parent_lane_ = 0;
  lanes::AscentOptions options_;
  std::optional<Memory> memory_;
  std::int64_t cost_ = 0;
};

extern template class LaneLookAhead<float>;
extern template class LaneLookAhead<double>;

}  // namespace plumb::search
