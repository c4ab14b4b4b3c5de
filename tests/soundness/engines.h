// engines.h: every way in which a query can be decided, for tests that ask them all.
#pragma once

#include <memory>

#include "assembly/audited.h"
#include "milp/milp_engine.h"
#include "search/decide.h"
#include "solvers/solvers.h"
#include "support/hostile_network.h"
#include "verify/robustness.h"

namespace plumb::testing {

enum class Engine { kAuto, kUnits, kInputs, kThreads, kAudited, kMilp };
inline constexpr int kEngines = 6;

inline const char* name_of(Engine engine) {
  switch (engine) {
    case Engine::kAuto:
      return "auto";
    case Engine::kUnits:
      return "unit splitting";
    case Engine::kInputs:
      return "input splitting";
    case Engine::kThreads:
      return "two threads";
    case Engine::kAudited:
      return "audited";
    case Engine::kMilp:
      return "milp";
  }
  return "";
}

inline search::DecideOptions options_of(Engine engine) {
  search::DecideOptions options;
  if (engine == Engine::kUnits || engine == Engine::kThreads) options.splitting = search::InputSplitting::kUnit;
  if (engine == Engine::kInputs) options.splitting = search::InputSplitting::kInput;
  if (engine == Engine::kThreads) options.search.threads = 2;
  return options;
}

// The network must outlive what is returned.
inline verdict::Decide decide_by(Engine engine, const std::shared_ptr<const bounds::BoundedNetwork>& network,
                                 const std::shared_ptr<const attack::NetworkEvaluators>& evaluators) {
  if (engine == Engine::kMilp) {
    const auto milp = std::make_shared<const milp::MilpEngine>(
        network, evaluators, solvers::make_solver(solvers::kDefaultSolver), milp::MilpOptions());
    return [milp](const property::Query& query, const Limits& limits) { return milp->decide(query, limits); };
  }
  const auto search = std::make_shared<const search::SearchEngine>(
      network, evaluators, [] { return solvers::make_solver(solvers::kDefaultSolver); }, options_of(engine));
  return [search, engine](const property::Query& query, const Limits& limits) {
    return engine == Engine::kAudited ? assembly::decide_audited(*search, query, limits)
                                      : search->decide(query, limits);
  };
}

// A solver's claim about numbers far beyond its tolerances; the verdict says that it is one. Plumb's own proofs must be
// right for every network.
inline bool may_be_a_false_claim(const verdict::Verdict& verdict, const network::Network& network) {
  return verdict.evidence == verdict::Evidence::kSolver && is_extreme(network);
}

}  // namespace plumb::testing
