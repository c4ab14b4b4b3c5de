// cut_rounds.h: rounds of bounding and separation at the root, for several functionals at once.
//
// Each round improves the slopes and cut weights of all functionals together, one functional per lane. Then it
// separates cuts at the mean of each functional's minimisers over the later steps. A unit keeps its few heaviest cuts.
// After the last round each functional gets its own pool with one cut per unit: the mean of the unit's cuts by that
// functional's weights. The bound stays the same, and a subproblem of the search costs half.
#pragma once

#include "base/limits.h"
#include "events/events.h"
#include "lanes/back_end.h"
#include "search/cuts/hull_cuts.h"
#include "search/tree/subproblem.h"

namespace plumb::search {

struct CutOptions {
  std::vector<std::shared_ptr<const CutFamily>> families = {hull_cuts()};
  int rounds = 4;
  int cuts_per_unit = 3;  // and functional
  lanes::AscentOptions ascent = {.steps = 60, .slope_rate = 0.2};
};

// A functional after the rounds.
struct CutRoot {
  reduction::CutPool cuts;
  std::vector<std::int64_t> cut_numbers;  // as events report them
  std::vector<float> slope, weight;       // per unit and per cut; where a search starts
  double bound = 0;                       // not rigorous
};

// `functionals` are rows of the network, at most as many as the back end has lanes of float. The region must be a cube.
std::vector<CutRoot> cut_rounds(const reduction::ReducedNetwork& network, std::span<const std::int64_t> functionals,
                                const CutOptions& options, const lanes::BoundingBackEnd& back_end, Budget& budget,
                                events::EventSink& events);

}  // namespace plumb::search
