// decide.h: the fast engine, which decides a query by the cheapest step that suffices.
//
// In:  a query over a prepared network, limits.
// Out: a verdict. Holds is proven in Plumb's own arithmetic; violated comes with a confirmed witness; unknown says why,
//      and how far the search came.
//
// The steps, in order: intervals; linear bounds and the reduced network; gradient descents on it; propagation of the
// conjunctions' inequalities; optimised slopes, of the later layers too; branch and bound, in turns with bounds of
// single units by trees of their own. A region of several parts is decided part by part. A part with few inputs is
// halved until small trees decide its pieces. So is a part with somewhat more inputs, if splitting units does not help.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "attack/gradient_attack.h"
#include "base/limits.h"
#include "bounds/bounds.h"
#include "lanes/back_end.h"
#include "program/solver.h"
#include "search/cuts/cut_rounds.h"
#include "search/frontier.h"
#include "search/tree/branch_and_bound.h"
#include "verdict/verdict.h"

namespace plumb::search {

// kUnit splits undecided units. kInput halves the region; each half has its own bounds and a small tree. kAuto chooses
// by the number of inputs. Between few and many inputs it splits units first, and halves if that does not decide soon.
enum class InputSplitting { kAuto, kUnit, kInput };

struct DecideOptions {
  InputSplitting splitting = InputSplitting::kAuto;
  SearchOptions search;
  CutOptions cuts;
  std::shared_ptr<const lanes::BoundingBackEnd> back_end = lanes::default_back_end();
  std::int64_t subproblems_before_cuts = 500, most_before_cuts = 2000;  // the latter in a tree that is near its end
  std::int64_t subproblems_before_halving = 4000;
  std::int64_t subproblems_per_unit = 100;            // and side, in the first trees of units' bounds; 0: no such trees
  std::int64_t most_before_units = 4000;              // of a tree that is near its end, before units' trees begin
  std::int64_t subproblems_per_piece = 64;            // if the region is halved; grows with the number of pieces
  int attack_rounds = 5, attack_steps = 50;           // 0 rounds: no attack before the search
  double attack_momentum = 0.9;                       // of that attack
  std::int64_t most_tightening_work = 4'000'000'000;  // about a second; networks that need more are not tightened
  int tighten_steps = 5;                        // of slope ascent per undecided unit, before the tree; 0: no tightening
  std::int64_t memory = std::int64_t{4} << 30;  // bytes; the trees of all queries at work share half of it
  bool narrow_ranges = true;                    // of units at the unsafe points of subproblems (lanes/unit_ranges.h)
  bool propagate = true;                        // inequalities of conjunctions (propagation/piece_propagation.h)
  bounds::ForwardUse forward = bounds::ForwardUse::kWherePays;  // in bounds of regions with few inputs
  bool values_first = true;  // targets are bounded by intervals before anything is bounded along lines
  std::uint64_t seed = 1;
  bool attack_network = true;  // the whole one, over the query's whole region, where the reduced one cannot be attacked
  bool give_up_where_trees_grow = false;  // instead of adding cuts; the caller then halves the region
};

// Makes a solver that returns duals and rays of linear programs. It is needed for leaves that bounds do not close, and
// for subproblems whose bound is just below zero. Called at most once, when the first of these is met, because most
// searches have none and loading a solver takes time. May return nullptr: such leaves then stay open.
using MakeSolver = std::function<std::unique_ptr<const program::Solver>()>;

// Decides queries about one network. May be used by several threads at once.
class SearchEngine {
 public:
  // The evaluators must be those of the same network.
  SearchEngine(std::shared_ptr<const bounds::BoundedNetwork> network,
               std::shared_ptr<const attack::NetworkEvaluators> evaluators, MakeSolver make_solver,
               DecideOptions options = {});

  verdict::Verdict decide(const property::Query& query, const Limits& limits) const;
  verdict::Verdict decide(const property::Query& query, const Limits& limits, events::EventSink& events) const;
  // `open` holds what the search of another query left open (frontier.h). On return it holds what this search left
  // open. It is used only if the region has one part and only units are split; all other searches start anew, and set
  // `open` to everything.
  verdict::Verdict decide(const property::Query& query, const Limits& limits, Frontier& open) const;
  verdict::Verdict decide(const property::Query& query, const Limits& limits, Frontier& open,
                          events::EventSink& events) const;

 private:
  verdict::Verdict report_and_decide(const property::Query& query, const Limits& limits, Frontier* open,
                                     events::EventSink& events) const;
  verdict::Verdict decide_parts(const property::Query& query, const Limits& limits, Frontier* open,
                                events::EventSink& events) const;
  const program::Solver* solver() const;

  std::shared_ptr<const bounds::BoundedNetwork> network_;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators_;
  MakeSolver make_solver_;
  DecideOptions options_;
  mutable TreeMemory tree_memory_;
  mutable std::once_flag solver_made_;
  mutable std::unique_ptr<const program::Solver> solver_;
};

}  // namespace plumb::search
