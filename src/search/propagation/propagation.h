// propagation.h: what a conjunction's inequalities and decisions about units imply for all coordinates and units.
//
// In:  the rows of a reduced network; constraints, which are rows that are at most zero at all points in question
//      (the inequalities of one conjunction of the unsafe set).
// Out: ranges of the coordinates u and of the units' arguments z that contain all points in question at which the
//      decisions hold; or a contradiction: there is no such point.
//
// Every implication is one of these, repeated until nothing changes:
//   - A unit's row says z_k = A_k u + B_k r + c_k. The ranges of the right-hand side bound z_k. Where the range of z_k
//     is narrower than that, each term of the row is bounded by what the others leave:
//     a_i u_i <= upper - (least value of the rest).
//   - A constraint f = A u + B r + c <= 0 bounds each of its terms in the same way.
//   - The affine lower bound of f over the coordinates, along lines of the units that fit their present ranges, bounds
//     the coordinates. It knows how units depend on coordinates, which the constraint's own terms do not.
// A range of r_k = relu(z_k) is one of z_k, and the other way round.
//
// Sound: all sums are widened by their rounding errors and by the errors of the rows (reduced_network.h). Lines are
//        valid on the present ranges (upper_line() of lanes/unit_ranges.h), so the affine bound is one of row_bound.h.
//        Each step can be proven again from its reason (events::Implication).
// Use:   decide() and then propagate(); undo() returns to an earlier mark(). After a contradiction, only undo() may be
//        called.
// Follows: bound propagation and backtracking as in solvers of integer programs and of satisfiability.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "events/events.h"
#include "reduction/reduced_network.h"
#include "reduction/row_bound.h"

namespace plumb::search {

class Propagation {
 public:
  // Keeps a reference to the network. The constraints are numbers of its rows.
  Propagation(const reduction::ReducedNetwork& network, std::vector<std::int64_t> constraints);

  // The decision holds at all points from here on. Returns false if the unit's range contradicts it.
  bool decide(std::int64_t unit, reduction::Split side);
  // Narrows ranges until hardly anything changes. Returns false after a contradiction.
  bool propagate();

  // A number that undo() takes to forget everything that was found and decided since.
  std::size_t mark() const { return trail_.size(); }
  void undo(std::size_t mark);
  // The sum, over all ranges that became narrower since, of the share of the width that was lost.
  double narrowed_since(std::size_t mark) const;

  struct Range {
    double lower = 0, upper = 0;
  };
  const Range& input(std::int64_t i) const { return ranges_[static_cast<std::size_t>(i)]; }
  const Range& unit(std::int64_t k) const { return ranges_[static_cast<std::size_t>(inputs_ + k)]; }
  // Whether the argument's range has both signs.
  bool is_open(std::int64_t k) const { return unit(k).lower < 0 && unit(k).upper > 0; }
  std::int64_t open_units() const { return open_units_; }

  // For each unit, how likely it is that deciding it implies something; 0 for units that are not open.
  std::vector<double> unit_scores();

  // Every reason is kept from here on, for steps() and contradiction().
  void keep_reasons() { keeps_reasons_ = true; }
  // A decision, or an end that is implied.
  struct Step {
    bool is_decision = false;
    std::int64_t unit = 0;  // that was decided
    reduction::Split side = reduction::Split::kOpen;
    events::Implication implication = {};
    std::shared_ptr<const std::vector<double>> slope = {};  // what implication.slope refers to
  };
  // What was found and decided, in this order; marks are positions in it. undo() forgets the last ones.
  const Step& step(std::size_t position) const { return steps_[position]; }
  // The last step of all, after a contradiction.
  const Step& contradiction() const { return contradiction_; }

  // Multiplications since the last call.
  std::int64_t take_cost() { return std::exchange(cost_, 0); }

 private:
  struct Term {
    double coefficient = 0;
    std::int32_t variable = 0;  // a coordinate, or inputs_ + the number of a unit
  };
  struct Change {
    std::int32_t variable = 0;
    Range before;
  };
  // Sums over the terms of a row: its least and largest value, and the magnitudes of what was added up.
  struct Reach {
    double least = 0, largest = 0, least_magnitude = 0, largest_magnitude = 0;
  };

  void list_rows_of_variables();
  std::vector<double> tightness();
  bool is_unit(std::int32_t variable) const { return variable >= inputs_; }
  events::Implication::About about(std::int32_t variable) const {
    return is_unit(variable) ? events::Implication::About::kUnit : events::Implication::About::kCoordinate;
  }
  Range value(std::int32_t variable) const;
  void collect_terms(std::int64_t row);
  Reach reach() const;
  bool narrow_by_row(std::int64_t row);
  bool narrow_by_affine_bound(std::int64_t constraint);
  bool keep_at_most(double least, double error, double upper);
  void begin_implications(events::Implication::From from, std::int64_t premise);
  bool contradict(events::Implication::About about, std::int32_t variable, bool upper, double bound);
  Step step_about(events::Implication::About about, std::int32_t variable, bool upper, double bound) const;
  bool raise(std::int32_t variable, double lower);
  bool lower(std::int32_t variable, double upper);
  bool raise_value(std::int32_t variable, double lower);
  bool lower_value(std::int32_t variable, double upper);
  bool change(std::int32_t variable, Range to, bool decides, bool upper);
  void set(std::int32_t variable, Range to);
  void touch(std::int32_t variable);
  void clear_queue();

  const reduction::ReducedNetwork& network_;
  std::int32_t inputs_;
  std::vector<std::int64_t> constraints_;
  std::vector<reduction::LooseRow> constraint_rows_;
  std::vector<std::vector<std::int32_t>> rows_of_;  // of each variable: the rows that contain it
  std::vector<Range> ranges_;                       // of each variable: coordinates, then arguments of units
  std::vector<double> first_width_;                 // of each variable, before anything was narrowed
  bounds::Lines lines_;                             // of the units, on their present ranges
  std::int64_t open_units_ = 0;
  std::vector<Change> trail_;
  bool keeps_reasons_ = false;
  std::vector<Step> steps_;         // if reasons are kept: one per change
  Step next_, contradiction_;       // next_: what is common to the steps that are taken now
  std::deque<std::int32_t> queue_;  // rows with a variable whose range has changed
  std::vector<bool> queued_;
  bool affine_is_old_ = true;  // something has changed since the affine bounds were used
  std::vector<Term> terms_;    // of one row at a time
  double constant_ = 0;
  std::int64_t cost_ = 0, sweep_cost_ = 0;
};

}  // namespace plumb::search
