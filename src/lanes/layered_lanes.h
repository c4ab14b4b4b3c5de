// layered_lanes.h: lanes (lane_system.h) on the network as it is, layer by layer.
//
// This is for networks whose reduced form would not fit into memory. A pass costs a backward or forward pass over the
// layers, and memory is that of one row per lane. Units are the undecided ReLUs. Maxima are relaxed along the store's
// lines and are not split.
//
// Sound: as bounds/backward.h, for any slopes in [0, 1] and multipliers >= 0.
#pragma once

#include "base/limits.h"
#include "bounds/backward.h"
#include "lanes/cpu_lanes.h"
#include "lanes/lane_system.h"
#include "network/evaluator.h"

namespace plumb::lanes {

class LayeredLanes final : public LaneSystem<double> {
 public:
  // Keeps references to the bounds and to the budget (back_end.h), which may be nullptr. Functionals are over output
  // nodes, and possibly input nodes.
  LayeredLanes(const bounds::RegionBounds& bounds, bounds::Functionals functionals, const Budget* budget = nullptr);

  std::int64_t width() const override { return kLanes<double>; }
  const reduction::InputSpace& space() const override { return space_; }
  std::int64_t inputs() const override { return space_.size(); }
  std::int64_t units() const override { return relus_.count; }
  std::int64_t cuts() const override { return 0; }
  std::int64_t constraints() const override { return 0; }
  reduction::UnitPlace place(std::int64_t unit) const override { return unit_[static_cast<std::size_t>(unit)]; }
  std::int64_t pass_cost() const override { return pass_cost_; }

  Lanes<double> lanes() const override;
  void ask_row(Lanes<double>& lanes, std::int64_t lane, std::int64_t row, double factor) const override;
  void backward(Lanes<double>& lanes) const override;
  void forward(Lanes<double>& lanes) const override;
  int ascend(Lanes<double>& lanes, const AscentOptions& options, Ascent<double>& ascent) const override;
  void evaluate(Lanes<double>& lanes) const override;
  void differentiate(Lanes<double>& lanes) const override;

 private:
  bounds::Functionals asked(const Lanes<double>& lanes) const;
  void set_inputs(const bounds::BoundedRows& rows, Lanes<double>& lanes) const;
  // propagate() computes every node's value at a lane's inputs, with ReLUs taken along their lines or as they are.
  enum class Relus { kRelaxed, kTrue };
  struct ForwardRule;
  std::vector<std::vector<double>> propagate(Lanes<double>& lanes, std::int64_t lane, Relus relus) const;
  double functional_value(std::int64_t f, const std::vector<std::vector<double>>& values) const;
  std::vector<double> output_coefficients(std::int64_t f) const;
  void add_input_coefficients(std::int64_t f, std::vector<double>& gradient) const;

  const bounds::RegionBounds& bounds_;
  const network::Network& network_;
  reduction::InputSpace space_;
  bounds::Functionals functionals_;
  const Budget* budget_;
  bounds::UndecidedElements relus_;
  std::vector<reduction::UnitPlace> unit_;
  CutsOfUnits no_cuts_;
  std::int64_t pass_cost_ = 0;
};

}  // namespace plumb::lanes
