// lane_network.h: a reduced network with cuts, laid out for lanes (lane_system.h) as sparse rows in panels.
#pragma once

#include <vector>

#include "base/limits.h"
#include "lanes/cpu_lanes.h"
#include "lanes/lane_system.h"
#include "lanes/panels.h"
#include "reduction/cuts.h"
#include "reduction/reduced_network.h"
#include "reduction/row_bound.h"

namespace plumb::lanes {

template <class T>
class LaneNetwork final : public LaneSystem<T> {
 public:
  // Keeps references to the network and to the budget (back_end.h), which may be nullptr. `constraints` are rows of the
  // network that lanes may add to what they ask (lanes.h).
  LaneNetwork(const reduction::ReducedNetwork& network, std::span<const reduction::Cut> cuts,
              std::span<const std::int64_t> constraints = {}, const Budget* budget = nullptr);

  const reduction::ReducedNetwork& network() const { return network_; }
  std::int64_t width() const override { return kLanes<T>; }
  const reduction::InputSpace& space() const override { return network_.space(); }
  std::int64_t inputs() const override { return layout_.inputs; }
  std::int64_t units() const override { return layout_.units; }
  std::int64_t cuts() const override { return layout_.cuts; }
  std::int64_t constraints() const override { return layout_.constraints; }
  reduction::UnitPlace place(std::int64_t unit) const override {
    return network_.units()[static_cast<std::size_t>(unit)].place;
  }
  std::int64_t pass_cost() const override { return network_.entries(); }

  Lanes<T> lanes() const override;
  void ask_row(Lanes<T>& lanes, std::int64_t lane, std::int64_t row, double factor) const override {
    ask(lanes, lane, loose_row(network_, row, factor));
  }
  // Asks a lane to bound any row over inputs and units.
  void ask(Lanes<T>& lanes, std::int64_t lane, const reduction::LooseRow& row) const;

  void backward(Lanes<T>& lanes) const override;
  void forward(Lanes<T>& lanes) const override;
  int ascend(Lanes<T>& lanes, const AscentOptions& options, Ascent<T>& ascent) const override;
  void evaluate(Lanes<T>& lanes) const override;
  void differentiate(Lanes<T>& lanes) const override;

  // For the kernels.
  struct Layout {
    std::int64_t inputs = 0, units = 0, cuts = 0, constraints = 0;
    // Rows: units and their cuts, group by group, then constraints and joint cuts. Columns: inputs, then units.
    Panels<T> forward;
    Panels<T> backward;  // rows: units, last group first, then inputs; columns: units, cuts, constraints
    // What each row of `forward` is: unit k, cut units + c or constraint units + cuts + c. What each row of `backward`
    // is: unit k or input units + i.
    std::vector<std::int32_t> forward_row, backward_row;
    CutsOfUnits cuts_of_units;
    AlignedVector<T> constant;      // of each row
    AlignedVector<T> price;         // error that a row causes, relative to its |coefficient|; zero in float
    AlignedVector<T> shared_price;  // the same for a unit's negative coefficient, which its cuts share
    bool is_cube = true;
  };

 private:
  void list_cuts(std::span<const reduction::Cut> cuts);
  // Returns false if the budget has reached a limit before all rows were laid out.
  bool lay_out_rows(std::span<const reduction::Cut> cuts, std::span<const std::int64_t> constraints);
  void set_prices(std::span<const reduction::Cut> cuts, std::span<const std::int64_t> constraints);
  T minimise_over_part(Lanes<T>& lanes, std::int64_t lane) const;
  bool is_over() const { return !is_complete_ || limit_reached(budget_); }

  const reduction::ReducedNetwork& network_;
  const Budget* budget_;
  bool is_complete_ = false;  // the layout
  std::int64_t terms_;        // no sum has more terms
  double underflow_ = 0;
  Layout layout_;
};

extern template class LaneNetwork<float>;
extern template class LaneNetwork<double>;

}  // namespace plumb::lanes
