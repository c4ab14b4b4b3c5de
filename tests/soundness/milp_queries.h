// milp_queries.h: queries about tiny networks for the tests of the mixed-integer engine and of its programs, with the
// options to ask them with.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "milp/milp_engine.h"
#include "solvers/solvers.h"
#include "support/exact_decision.h"
#include "support/random_query.h"

namespace plumb::testing {

// Solvers run as in plumb verify: those other than the default are isolated, so that a crash does not end the test.
inline std::shared_ptr<const program::Solver> solver(const std::string& name) {
  return solvers::make_solver(name, {.isolated = name != solvers::kDefaultSolver});
}

inline property::Query random_query(Random& random, const network::Network& network) {
  const auto size = static_cast<std::size_t>(network.input_size());
  return property::Query(shared(network), random_region(random, size), random_unsafe(random, network));
}

inline bool has_l2_ball(const property::Region& region) {
  return std::ranges::any_of(region.parts(), [](const property::SimpleRegion& part) {
    const auto* ball = std::get_if<property::Ball>(&part);
    return ball != nullptr && ball->norm == property::Norm::kL2;
  });
}

// Uses bounds and the solver alone: an attack would find most witnesses first.
inline milp::MilpOptions without_attack() {
  milp::MilpOptions options;
  options.attack.restarts = 0;
  return options;
}

inline verdict::Verdict decide(const property::Query& query, const milp::MilpOptions& options,
                               const std::string& name = solvers::kDefaultSolver) {
  const auto bounded = std::make_shared<const bounds::BoundedNetwork>(query.network);
  return milp::MilpEngine(bounded, std::make_shared<const attack::NetworkEvaluators>(query.network), solver(name),
                          options)
      .decide(query, {});
}

// Whether the largest slack is close to zero, or might be. There any answer depends on luck: a solver has tolerances,
// and a witness must be unsafe in float32 as well.
inline bool is_near_a_tie(const property::Query& query) {
  if (has_l2_ball(query.region)) return true;
  for (const property::Conjunction& conjunction : query.unsafe.conjunctions) {
    if (conjunction.empty()) return false;
  }
  const auto slack = exact_largest_slack(query);
  return slack && abs(*slack) < mpq_class(1, 100000);
}

// The same query with all bounds shifted so that the largest slack is about `slack`. Bounds of units decide few of
// these.
inline property::Query moved_to_slack(const property::Query& query, double slack) {
  if (has_l2_ball(query.region)) return query;
  const auto largest = exact_largest_slack(query);
  if (!largest) return query;
  property::UnsafeSet unsafe = query.unsafe;
  for (property::Conjunction& conjunction : unsafe.conjunctions) {
    for (property::OutputInequality& inequality : conjunction) inequality.bound += slack - largest->get_d();
  }
  return property::Query(query.network, query.region, unsafe);
}

}  // namespace plumb::testing
