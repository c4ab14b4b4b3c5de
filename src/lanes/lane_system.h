// lane_system.h: rows to be bounded over a region, for many choices of slopes and decisions at once, however they are
// stored.
//
// Rows are numbered: those of the undecided ReLU units, in order, then the functionals. lane_network.h keeps them as
// sparse rows of a reduced network; layered_lanes.h, for networks where those would not fit into memory, goes through
// the layers again for every pass. Both give the same bounds, up to rounding.
#pragma once

#include <memory>
#include <span>

#include "lanes/lanes.h"
#include "reduction/input_space.h"
#include "reduction/unit_place.h"

namespace plumb::lanes {

template <class T>
class LaneSystem {
 public:
  virtual ~LaneSystem() = default;

  virtual const reduction::InputSpace& space() const = 0;
  virtual std::int64_t inputs() const = 0;
  virtual std::int64_t units() const = 0;
  virtual std::int64_t cuts() const = 0;
  virtual std::int64_t constraints() const = 0;
  virtual reduction::UnitPlace place(std::int64_t unit) const = 0;
  // Multiplications of one pass in one lane, about: what limits on work count.
  virtual std::int64_t pass_cost() const = 0;
  // The cuts of unit k are cut_of_owner[first_cut[k]] .. cut_of_owner[first_cut[k + 1] - 1].
  virtual std::span<const std::int32_t> first_cut() const = 0;
  virtual std::span<const std::int32_t> cut_of_owner() const = 0;

  // With the units' own lines, nothing split, default slopes, nothing asked.
  virtual Lanes<T> lanes() const = 0;
  // Has a lane bound factor * row, with a factor of 1 or -1.
  virtual void ask_row(Lanes<T>& lanes, std::int64_t lane, std::int64_t row, double factor) const = 0;

  // Lower bounds; in double they are rigorous, in float they guide a search and prove nothing.
  virtual void backward(Lanes<T>& lanes) const = 0;
  // The relaxation's values at the minimiser, from which the bound's gradients follow.
  virtual void forward(Lanes<T>& lanes) const = 0;
  // The true network at the inputs in `values`; `bound` receives the value of what is asked.
  virtual void evaluate(Lanes<T>& lanes) const = 0;
  // The gradient of what is asked, after evaluate().
  virtual void differentiate(Lanes<T>& lanes) const = 0;
};

}  // namespace plumb::lanes
