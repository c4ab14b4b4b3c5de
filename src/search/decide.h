// decide.h: the fast engine: one query, decided by the cheapest step that can.
//
// In:  a query over a prepared network, limits.
// Out: a verdict. Holds is a proof in Plumb's own arithmetic; violated has a confirmed witness; unknown says why, and
// how
//      far it came.
//
// The ladder: linear bounds and the reduced network; gradient descents on it; optimised slopes; tighter bounds of the
// later layers; branch and bound. A region of several parts is decided part by part.
#pragma once

#include <memory>

#include "attack/gradient_attack.h"
#include "base/limits.h"
#include "bounds/region_bounds.h"
#include "program/solver.h"
#include "search/branch_and_bound.h"
#include "verdict/verdict.h"

namespace plumb {

// What the engine needs of a network, whatever the query. Built once; shared by threads.
struct PreparedNetwork {
  // Keeps a reference: the network must outlive it.
  explicit PreparedNetwork(const Network& network)
      : bounded(network), evaluators(std::make_shared<const NetworkEvaluators>(network)) {}

  BoundedNetwork bounded;
  std::shared_ptr<const NetworkEvaluators> evaluators;
};

struct DecideOptions {
  SearchOptions search;
  int attack_rounds = 5, attack_steps = 50;
  int tighten_steps = 5;                        // of slopes, for units behind undecided ones, at the root
  std::int64_t memory = std::int64_t{4} << 30;  // bytes
  std::uint64_t seed = 1;
};

// `leaf_solver` solves linear programs with duals and rays; null: leaves that bounds do not close stay open.
Verdict decide(const PreparedNetwork& network, const Query& query, const DecideOptions& options, const Limits& limits,
               const Solver* leaf_solver, EventSink& events);

}  // namespace plumb
