// lane_system.h: bounds rows over a region, for many choices of slopes and decisions at once, however rows are stored.
//
// A system stands for the rows of one region. Lanes (lanes.h) hold, per lane, a row to be bounded and the choices to
// bound it with, and receive the results. Systems are made by a back end (back_end.h), and lanes by their system:
// lanes() of one system must not be given to another.
//
// Numbers: units, inputs (the coordinates u of space()), cuts, constraints and lanes are numbered from 0. Rows are
//      numbered too: row k < units() is the argument z_k of unit k, row units() + f is functional f.
//
// Use:   Lanes<double> lanes = system.lanes();
//        for each lane: system.ask_row(lanes, lane, row, 1);    unused lanes ask for the last row once more
//        set slopes, split decisions, multipliers, weights      optional
//        system.backward(lanes);                                lanes.bound[lane] is the bound
//        or
//        Ascent<double> ascent(system);
//        system.ascend(lanes, options, ascent);                 ascent.bound[lane] is the bound
// Order: forward() needs the results of a backward() with the same choices; differentiate() those of an evaluate() at
//        the same inputs. evaluate() takes the inputs from `values`: set them, or use the minimiser that backward()
//        left there. What was asked and chosen stays in the lanes until it is set anew. Results of lanes in which
//        nothing is asked mean nothing.
//
// Implementations: lane_network.h stores the rows of a reduced network, with cuts and constraints. layered_lanes.h, for
//      networks whose rows would not fit into memory, goes through the layers in every pass, and has neither. If no
//      maximum is undecided, both have the same units and, up to rounding, the same bounds; but the units may have
//      other numbers (place() says which is which), and layered lanes keep coordinates that a reduced network drops.
//      If a maximum is undecided, its links are units of the stored rows only; layered lanes relax it along the lines
//      of RegionBounds and cannot split it.
//
// Sound: bounds of systems of double are rigorous for slopes in [0, 1], multipliers >= 0, and weights >= 0; those
//      of a unit's cuts must sum to at most 1. Callers must keep choices in these ranges: stored rows do not clamp
//      them.
// Threads: a system does not change, so several threads may use it at once, each with lanes and an Ascent of its own.
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
  virtual std::int64_t inputs() const = 0;  // space().size()
  virtual std::int64_t units() const = 0;
  virtual std::int64_t cuts() const = 0;
  virtual std::int64_t constraints() const = 0;
  virtual reduction::UnitPlace place(std::int64_t unit) const = 0;
  // About how many multiplications one pass (backward(), forward(), evaluate() or differentiate()) takes per lane.
  // Limits on work count these. Callers charge their budgets: (2 steps + 1) width() pass_cost() for an ascent.
  virtual std::int64_t pass_cost() const = 0;

  // Lanes with the units' own lines and default slopes, in which nothing is split and nothing asked, and multipliers,
  // weights and constraint multipliers are 0.
  virtual Lanes<T> lanes() const = 0;
  // Asks a lane to bound factor * row, instead of what it asked before. The factor is 1 or -1. Nothing else in the lane
  // changes.
  virtual void ask_row(Lanes<T>& lanes, std::int64_t lane, std::int64_t row, double factor) const = 0;

  // Computes lower bounds. In double they are rigorous; in float they guide a search and prove nothing. In double,
  // minus infinity means that there is no finite bound; plus infinity, that the region is certainly empty
  // (stored rows only).
  virtual void backward(Lanes<T>& lanes) const = 0;
  // Computes the relaxation's values at the minimiser, from which the gradients of the bound follow.
  virtual void forward(Lanes<T>& lanes) const = 0;
  // Improves the choices in the lanes by slope ascent, starting from those that they hold. Returns the number of steps
  // taken. Each costs one backward() and one forward(); one more backward() bounds the choices at the end.
  // The best bounds and the choices that gave them are in `ascent` afterwards. The lanes hold the last choices, which
  // may be worse, and the results of the last backward(). What forward() stores (`argument`, and `values` of units) is
  // one step older; if no step was taken, it is what was there before.
  virtual int ascend(Lanes<T>& lanes, const AscentOptions& options, Ascent<T>& ascent) const = 0;
  // Evaluates the true network, in plain arithmetic of T, at the inputs in `values`. `bound` receives the value of what
  // is asked (without constraints), `argument` and `values` those of the units.
  virtual void evaluate(Lanes<T>& lanes) const = 0;
  // Computes the gradient of what is asked by the inputs, into `gradient`, after evaluate(). Layered lanes throw
  // InternalError where the row of a unit is asked.
  virtual void differentiate(Lanes<T>& lanes) const = 0;
};

}  // namespace plumb::lanes
