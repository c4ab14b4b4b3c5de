// decide.h: the fast engine: one query, decided by the cheapest step that can.
//
// In:  a query over a prepared network, limits.
// Out: a verdict. Holds is a proof in Plumb's own arithmetic; violated has a confirmed witness; unknown says why, and
//      how far it came.
//
// The ladder: linear bounds and the reduced network; gradient descents on it; optimised slopes; tighter bounds of the
// later layers; branch and bound. A region of several parts is decided part by part; one with few inputs, or with some
// where splitting units does not help, is halved until small trees decide the pieces.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "attack/gradient_attack.h"
#include "base/limits.h"
#include "bounds/region_bounds.h"
#include "program/solver.h"
#include "search/cuts/cut_rounds.h"
#include "search/frontier.h"
#include "search/tree/branch_and_bound.h"
#include "verdict/verdict.h"

namespace plumb::search {

// Unit: undecided units are split. Input: the region is halved, and each half has its own bounds and a small tree.
enum class InputSplitting { kAuto, kUnit, kInput };

struct DecideOptions {
  // Auto: by the number of inputs, and between few and many by whether splitting units decides soon.
  InputSplitting splitting = InputSplitting::kAuto;
  SearchOptions search;
  CutOptions cuts;
  std::int64_t subproblems_before_cuts = 500;
  std::int64_t subproblems_before_halving = 4000;
  std::int64_t subproblems_a_piece = 64;              // where the region is halved; more as pieces become many
  int attack_rounds = 5, attack_steps = 50;           // no rounds: no attack before the search
  std::int64_t most_tightening_work = 4'000'000'000;  // a second or so; larger networks do without
  int tighten_steps = 5;                              // of slopes, for units behind undecided ones, at the root
  std::int64_t memory = std::int64_t{4} << 30;        // bytes, of all queries that are decided at the same time
  std::uint64_t seed = 1;
  bool give_up_where_trees_grow = false;  // instead of adding cuts: the caller will halve the region
};

// Solves linear programs with duals and rays, for leaves of the search that bounds do not close and for subproblems
// whose bound is just below zero. Called at most once, when the first of them is met: most searches have none, and
// loading a solver takes time. May give null: such leaves then stay open.
using MakeSolver = std::function<std::unique_ptr<const program::Solver>()>;

// Decides queries about one network. May be used by several threads at once.
class SearchEngine {
 public:
  // Keeps a reference to the network. The evaluators are those of the same network.
  SearchEngine(const bounds::BoundedNetwork& network, std::shared_ptr<const attack::NetworkEvaluators> evaluators,
               MakeSolver make_solver, DecideOptions options = {});

  verdict::Verdict decide(const property::Query& query, const Limits& limits, events::EventSink& events) const;
  verdict::Verdict decide(const property::Query& query, const Limits& limits) const;
  // `open` is what another query's search has left open (frontier.h), and becomes what this one's leaves open. Other
  // regions than one part with many inputs, whose units are split, start anew.
  verdict::Verdict decide(const property::Query& query, const Limits& limits, Frontier& open) const;

 private:
  verdict::Verdict decide(const property::Query& query, const Limits& limits, events::EventSink& events,
                          Frontier* open) const;
  const program::Solver* solver() const;

  const bounds::BoundedNetwork& network_;
  std::shared_ptr<const attack::NetworkEvaluators> evaluators_;
  MakeSolver make_solver_;
  DecideOptions options_;
  mutable QueueMemory queue_memory_;
  mutable std::once_flag solver_made_;
  mutable std::unique_ptr<const program::Solver> solver_;
};

}  // namespace plumb::search
