// lane_system.h: bounds rows over a region, for many choices of slopes and decisions at once, however rows are stored.
//
// Rows are numbered: first those of the undecided units, in order, then the functionals. lane_network.h stores them as
// sparse rows of a reduced network. layered_lanes.h, for networks whose rows would not fit into memory, goes through
// the layers in every pass. Up to rounding, both return the same bounds if no maximum is undecided. Systems are made by
// a back end (back_end.h), and lanes by their system.
#pragma once

#include <memory>
#include <span>

#include "lanes/lanes.h"
#include "lanes/slope_ascent.h"
#include "reduction/input_space.h"
#include "reduction/unit_place.h"

namespace plumb::lanes {

template <class T>
class LaneSystem {
 public:
  virtual ~LaneSystem() = default;

  // How many lanes lanes() has: an even number, because many callers use two lanes per unit.
  virtual std::int64_t width() const = 0;
  virtual const reduction::InputSpace& space() const = 0;
  virtual std::int64_t inputs() const = 0;
  virtual std::int64_t units() const = 0;
  virtual std::int64_t cuts() const = 0;
  virtual std::int64_t constraints() const = 0;
  virtual reduction::UnitPlace place(std::int64_t unit) const = 0;
  // About how many multiplications one pass takes in one lane. Limits on work count these.
  virtual std::int64_t pass_cost() const = 0;

  // Lanes with the units' own lines and default slopes, in which nothing is split and nothing asked.
  virtual Lanes<T> lanes() const = 0;
  // Asks a lane to bound factor * row. The factor is 1 or -1.
  virtual void ask_row(Lanes<T>& lanes, std::int64_t lane, std::int64_t row, double factor) const = 0;

  // Computes lower bounds. In double they are rigorous; in float they guide a search and prove nothing.
  virtual void backward(Lanes<T>& lanes) const = 0;
  // Computes the relaxation's values at the minimiser, from which the gradients of the bound follow.
  virtual void forward(Lanes<T>& lanes) const = 0;
  // Improves the choices in the lanes by slope ascent, and leaves what its last passes stored there. Returns the number
  // of steps taken. Each costs one backward() and one forward(); one more backward() bounds the choices at the end.
  virtual int ascend(Lanes<T>& lanes, const AscentOptions& options, Ascent<T>& ascent) const = 0;
  // Evaluates the true network at the inputs in `values`. `bound` receives the value of what is asked.
  virtual void evaluate(Lanes<T>& lanes) const = 0;
  // Computes the gradient of what is asked, after evaluate().
  virtual void differentiate(Lanes<T>& lanes) const = 0;
};

}  // namespace plumb::lanes
