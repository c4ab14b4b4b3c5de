// cut_rounds.h: rounds of bounding and separation at the root, for several functionals at once.
//
// In:  a reduced network over a cube; functionals that are not yet proven positive.
// Out: per functional, in order: cuts, and the slopes and cut weights from which a search starts.
//
// A round bounds all functionals together, one per lane, by an ascent that improves their slopes and cut weights. Then
// it separates cuts at the mean of each functional's minimisers over the later steps. All functionals share these cuts,
// but those whose bound is positive already get none of their own. After the last round there is one more ascent, so
// there are at most options.rounds + 1. The rounds end early if no cut is added or a limit is reached. The first ascent
// computes at least one bound per functional, so the result is usable in any case, if without cuts.
//
// Cuts that are kept: a cut whose weight is below 0.001 for every functional is dropped after its round. Cuts that
// bound the same unit or units share options.cuts_per_unit times the number of functionals places. If these are taken,
// a new cut replaces the one whose largest weight over the functionals is least, provided that this weight is at most
// 0.15. Otherwise the new cut is not kept. No cut is added while half of the memory that all trees share is taken.
//
// At the end each functional gets its own pool, in which one cut stands for all that bound the same: their mean by that
// functional's weights, unless these sum to less than 0.001. The bound stays nearly the same, and a subproblem of the
// search costs half.
//
// Sound: cuts are valid if their families make valid ones (cut_family.h). Bounds are in float and prove nothing.
#pragma once

#include "base/limits.h"
#include "events/events.h"
#include "lanes/back_end.h"
#include "search/cuts/hull_cuts.h"
#include "search/tree/subproblem.h"
#include "search/tree/tree_memory.h"

namespace plumb::search {

struct CutOptions {
  std::vector<std::shared_ptr<const CutFamily>> families = {hull_cuts()};  // asked in this order
  int rounds = 4;         // of separation; 0: the functionals are bounded, and there are no cuts
  int cuts_per_unit = 3;  // and per functional, in a budget that all functionals share
  lanes::AscentOptions ascent = {.steps = 60, .slope_rate = 0.2};  // of each ascent; all steps are taken
  TreeMemory* shared_memory = nullptr;                             // in which cuts count; nullptr: nothing is shared
};

// A functional after the rounds.
struct CutRoot {
  reduction::CutPool cuts;                // at most one per unit
  std::vector<std::int64_t> cut_numbers;  // of each of `cuts`, as events report them
  std::vector<float> slope, weight;       // one per unit, and one per cut of `cuts`; where a search starts
  double bound = 0;                       // the best bound of the last ascent; not rigorous
};

// About how much memory a cut takes while it is in use: as a row, as a copy for the lanes, and in the lanes' own
// tables.
std::int64_t bytes_in_use(const reduction::Cut& cut);

// `functionals` are row numbers of the network (functional_row()): at least one, and at most as many as float_width()
// of the back end. The region must be a cube. Work is charged to the budget. Events: cuts_begin(), then cut_found() for
// each cut that is kept and cut_merged() for each cut of the result.
std::vector<CutRoot> cut_rounds(const reduction::ReducedNetwork& network, std::span<const std::int64_t> functionals,
                                const CutOptions& options, const lanes::BoundingBackEnd& back_end, Budget& budget,
                                events::EventSink& events);

}  // namespace plumb::search
